// What the rules of queueing ask, answered from mirrors. Every replica has these mirrors, whether it leads or not.
// A mirror may be a moment behind: right after a Job was made, the first of its pods may arrive before the mirror shows
// the Job. So what a mirror does not have, and what has another UID than the one asked for, is noted as missing, and
// the answer that was made without it must not be given: the caller reads what is missing from the server, adds it, and
// asks the rules again.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/kueue/kueue.h"
#include "client/mirror.h"
#include "controllers/queue/review/world.h"

namespace muster::webhook {

class ReviewMirrors {
public:
    // Both must outlive it.
    ReviewMirrors(os::Loop& loop, client::Client& reader);
    void start();
    bool synced() const;

    // The object as the mirrors show it, null when they do not. Only for kinds that has() says yes to.
    client::AnyObject get(const api::KindInfo& kind, const client::ObjectName& name) const;
    static bool has(const api::KindInfo& kind);
    // Kinds of which one that is missing is read from the server. A queue or a class that has just been made need not
    // count for the next pod, and looking for those that do not exist would be a request for every pod.
    static bool is_read_on_a_miss(const api::KindInfo& kind);

private:
    client::Mirror<api::core::Namespace> namespaces_;
    client::Mirror<api::batch::Job> jobs_;
    client::Mirror<api::kueue::LocalQueue> queues_;
    client::Mirror<api::kueue::Workload> workloads_;
    client::Mirror<api::kueue::WorkloadPriorityClass> classes_;
};

// For one review.
class MirrorWorld final : public controllers::QueueWorld {
public:
    struct Lookup {
        const api::KindInfo* kind;
        client::ObjectName name;
    };

    explicit MirrorWorld(const ReviewMirrors& mirrors) : mirrors_(mirrors) {}

    // Owners of kinds that are not mirrored are not looked up: only Jobs are queued, so nothing above them matters.
    const void* find_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name,
                         std::string_view uid) override;

    // What was asked for and is not known, since the last call.
    std::vector<Lookup> take_missing();
    // The server's answer; null: there is no such object.
    void add(const Lookup& lookup, client::AnyObject object);

private:
    using Key = std::tuple<const api::KindInfo*, std::string, std::string>;
    const ReviewMirrors& mirrors_;
    std::map<Key, client::AnyObject> read_;  // from the server
    std::vector<client::AnyObject> kept_;
    std::vector<Lookup> missing_;
};

}  // namespace muster::webhook
