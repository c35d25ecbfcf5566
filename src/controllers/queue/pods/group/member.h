// A pod as a member of its group: what of its state matters for the group. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/kinds/kueue/workload.h"
#include "base/instant.h"
#include "client/client.h"

namespace muster::controllers::podqueue {

using PodRef = client::Ref<api::core::Pod>;

struct Member {
    PodRef pod;
    bool gated = false;
    bool placed = false;  // has a node
    bool succeeded = false;
    bool failed = false;
    bool deleting = false;
    bool forced = false;   // being deleted, and the server waits for nothing but finalizers
    bool held = false;     // by our finalizer
    bool stopped = false;  // by us, as its Workload was evicted or had no quota
    int role = -1;         // the set of the Workload that it belongs to; -1: none
    bool owner = false;    // of the group's Workload: a decision has counted on it before

    bool ended() const { return succeeded || failed; }
    // Waits for admission.
    bool waits() const { return gated && !ended() && !deleting; }
    // Started and not known to be over: it takes quota.
    bool runs() const { return !gated && !ended() && !(deleting && !placed); }
    // Can neither run nor succeed any more.
    bool is_lost() const { return failed || (deleting && !ended() && !placed); }
};

// What runs first, and the oldest first. Creation is told in whole seconds; within one, owners of the Workload come
// first, and then UIDs decide. All of this is stored: an edit or a restart changes nothing.
std::vector<Member> sort_members(const std::vector<PodRef>& pods, const api::kueue::Workload* workload = nullptr);

// When the pod failed, as exactly as it is known.
Instant failed_at(const api::core::Pod& pod);

// Until when a pod that is being deleted is waited for: a node that does not answer must not keep quota for ever.
Instant given_up_at(const api::core::Pod& pod);
// It runs, or may: its quota is not free yet.
inline bool is_awaited(const Member& member, Instant now) {
    return member.runs() && !(member.deleting && now >= given_up_at(*member.pod));
}
// It runs, was deleted by force, and its node has not told of its end in time: without our finalizer it is gone.
inline bool is_abandoned(const Member& member, Instant now) {
    return member.runs() && member.forced && now >= given_up_at(*member.pod);
}

// Kueue's name for the Workload of a single pod or of a Job: "pod-" and the name, and five digits of a hash.
std::string workload_name_for(std::string_view kind, std::string_view group, std::string_view name,
                              std::string_view uid);

}  // namespace muster::controllers::podqueue
