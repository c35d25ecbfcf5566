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
    Recorder(os::Loop& loop, Client& client, Text component);

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
        Text message;
        int count = 0;
        Instant at;
    };
    // An event of an object. Constructors, because Tasks take it.
    struct EventId {
        EventId(Text of, Instant moment, ObjectName of_name)
            : uid(std::move(of)), named(moment), name(std::move(of_name)) {}
        Text uid;  // of the object
        Instant named;
        ObjectName name;
    };
    os::Task<void> create(api::core::Event event, EventId id);
    os::Task<void> count_up(EventId id);
    // What is to be written next of that event; nothing: no write of it is under way any more.
    std::optional<Again> take_next(const ObjectName& name);

    os::Loop& loop_;
    Client& client_;
    const Text component_;
    const Duration apart_;  // from names that another component gives in the same moment
    Correlator correlator_;
    struct NameHash {
        std::size_t operator()(const ObjectName& name) const {
            return std::hash<Text>()(name.name) ^ (std::hash<Text>()(name.namespace_) << 1);
        }
    };
    // Events that are being written, and what waits for that: one write of an event is under way at a time.
    std::unordered_map<ObjectName, std::optional<Again>, NameHash> writing_;
    os::TaskScope tasks_;
};

}  // namespace muster::client
