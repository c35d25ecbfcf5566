// What a decision about a single pod or a group of pods sees (GroupView) and what it asks for (GroupPlan).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/kueue/workload.h"
#include "base/instant.h"
#include "controllers/queue/pods/group/member.h"
#include "controllers/queue/workload/injection.h"

namespace muster::controllers::podqueue {

struct GroupView {
    Text group{};  // empty: a single pod
    const std::vector<PodRef>& pods;
    const api::kueue::Workload* workload = nullptr;  // what has the name of the group's Workload; null: nothing has
    const FindFlavor& find_flavor;
    const FindPriority& find_priority;
    bool watch_readiness = false;                       // waitForPodsReady
    const std::vector<Text>* labels_to_copy = nullptr;  // to the Workload; null: none
    Instant now{};
};

// An event about a pod, or about the Workload when there is none.
struct GroupNote {
    PodRef pod{};
    bool warning = false;
    const char* reason = "";
    std::string message{};
    bool operator==(const GroupNote&) const = default;
};

enum class WhyRemoved {
    kStopped,   // evicted, or never admitted
    kRejected,  // too many, or of no known shape
};

// Reasons of events about pods that are rejected.
inline constexpr const char* kExcess = "ExcessPodDeleted";
inline constexpr const char* kUnknownShape = "UnknownShapePodDeleted";
// And about one that stays, and will not be let through.
inline constexpr const char* kNoSet = "UnknownShape";

struct PodRemoval {
    PodRef pod{};
    WhyRemoved why = WhyRemoved::kStopped;
    std::string message{};
    std::string reason{};
    bool operator==(const PodRemoval&) const = default;
};

struct PodStart {
    PodRef pod{};
    std::shared_ptr<const api::core::Pod> draft{};  // without the gate, with what admission adds
    bool operator==(const PodStart&) const = default;
};

// Carried out from top to bottom, up to the first failure: a pod loses its finalizer only after what it did is stored,
// and a Workload only after its pods have lost theirs.
struct GroupPlan {
    std::vector<GroupNote> notes{};
    bool confirm_no_workload = false;  // do a live read first: the mirror may only lag behind
    std::optional<api::kueue::Workload> create{};
    std::optional<api::kueue::WorkloadSpec> spec{};
    bool adopt = false;  // a Workload that was made beforehand, together with its owners
    std::vector<api::meta::OwnerReference> add_owners{};
    std::vector<Text> remove_owners{};  // by UID: pods that will not come back, and must not take the Workload along
    std::optional<Text> gates{};        // of the Workload: who holds admission back
    std::optional<api::kueue::WorkloadStatus> status{};
    std::vector<PodRemoval> remove{};
    std::vector<PodRef> release{};  // the finalizer
    std::vector<PodStart> start{};
    bool release_workload = false;
    bool remove_workload = false;
    std::optional<Instant> wake_at{};

    bool does_nothing() const {
        return !create && !spec && !adopt && add_owners.empty() && remove_owners.empty() && !gates && !status &&
               remove.empty() && release.empty() && start.empty() && !release_workload && !remove_workload;
    }
};

// Looks again at that moment, if not before.
inline void wake_by(std::optional<Instant>& wake_at, Instant at) {
    if (!wake_at || at < *wake_at) wake_at = at;
}
inline void wake_by(GroupPlan& plan, Instant at) { wake_by(plan.wake_at, at); }

}  // namespace muster::controllers::podqueue
