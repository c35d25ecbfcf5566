// Records Events about an object that show users what a controller did. Best effort: an Event that cannot be written is
// dropped, and the caller does not wait for the write.
#pragma once

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
    os::Task<void> create(api::core::Event event, std::string written);
    os::Task<void> update(ObjectName name, std::string message, int count, Instant at);

    os::Loop& loop_;
    Client& client_;
    Text component_;
    Correlator correlator_;
    // Where the event of an object's UID and key is, so that it can be counted up.
    std::unordered_map<std::string, ObjectName> written_;
    os::TaskScope tasks_;
};

}  // namespace muster::client
