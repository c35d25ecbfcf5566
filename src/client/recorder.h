// Records Events about an object that show users what a controller did. Best effort: an Event that cannot be written is
// dropped, and the caller does not wait for the write.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "api/kinds/core/event.h"
#include "client/client.h"
#include "client/correlate.h"
#include "os/loop/loop.h"

namespace muster::client {

class Recorder {
public:
    // All must outlive it. `component` is who reports: job-controller.
    Recorder(os::Loop& loop, Client& client, Text component)
        : loop_(loop), client_(client), component_(std::move(component)), tasks_(loop) {}

    template <class K>
    void note(const K& object, Note note) {
        const api::KindInfo& kind = api::kind_info<K>();
        this->note(reference_to(kind, object.metadata), std::move(note));
    }
    void note(api::core::ObjectReference about, Note note);

    static api::core::ObjectReference reference_to(const api::KindInfo& kind, const api::meta::ObjectMeta& metadata);

private:
    // What an event says when it happened again.
    struct Again {
        std::string message;
        int count = 0;
        Instant at;
    };
    // An event of an object's UID and key, so that it can be counted up. One write of it is under way at a time.
    struct Written {
        ObjectName name;
        std::optional<Again> next;  // waits for the write under way
        bool busy = true;
    };
    os::Task<void> create(api::core::Event event, std::string key);
    os::Task<void> count_up(ObjectName name, std::string key);
    // What is to be written next of that event; nothing: it is not busy any more.
    std::optional<Again> take_next(const ObjectName& name, const std::string& key);

    os::Loop& loop_;
    Client& client_;
    Text component_;
    Correlator correlator_;
    std::unordered_map<std::string, Written> written_;
    os::TaskScope tasks_;
};

}  // namespace muster::client
