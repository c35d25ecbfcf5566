// What is to be done for a Job that waits in a queue: make its Workload, start it with its flavor when that is
// admitted, stop it and put its template back when it is evicted, give quota back as its indexes finish, and tell of
// its end. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/kueue/workload.h"
#include "base/instant.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/workload/injection.h"

namespace muster::controllers::jobqueue {

struct QueuedJobView {
    const api::batch::Job* job = nullptr;            // null: it is gone
    const api::kueue::Workload* workload = nullptr;  // the Job's own, or the one it names; null: there is none
    // Of a Job that is gone, or whose Workload is deleted or evicted: those that have not ended.
    const std::vector<podqueue::PodRef>& pods;
    const FindFlavor& find_flavor;
    const FindPriority& find_priority;
    const FindPodPriority& find_pod_priority;
    bool watch_readiness = false;                       // waitForPodsReady
    const std::vector<Text>* labels_to_copy = nullptr;  // to the Workload; null: none
    Instant now{};
    Text job_manager{};  // a spec.managedBy of Jobs whose controller reports their start as Kubernetes' own does
};

struct QueuedJobNote {
    bool about_workload = false;
    bool warning = false;
    const char* reason = "";
    std::string message{};
    bool operator==(const QueuedJobNote&) const = default;
};

// Carried out from top to bottom, up to the first failure.
struct QueuedJobPlan {
    std::vector<QueuedJobNote> notes{};
    std::optional<api::kueue::Workload> create{};
    std::optional<api::kueue::WorkloadSpec> spec{};
    bool adopt = false;           // a Workload that was made beforehand
    std::optional<Text> gates{};  // of the Workload: who holds admission back
    std::optional<api::kueue::WorkloadStatus> status{};
    // The Job's start time goes: Job controllers up to Kubernetes 1.35 keep it when they suspend the Job, and while it
    // is there the template cannot be put back.
    bool clear_start = false;
    std::optional<api::batch::Job> job{};
    bool remove_workload = false;
    bool release_workload = false;
    std::optional<Instant> wake_at{};

    bool does_nothing() const {
        return !create && !spec && !adopt && !gates && !status && !clear_start && !job && !remove_workload &&
               !release_workload;
    }
};

QueuedJobPlan decide_queued_job(const QueuedJobView& view);

// The name of the Job's Workload: what it says itself, or Kueue's for it.
Text workload_name_of(const api::batch::Job& job);

// How many completions leave `admitted` of the Job's `count` indexes to run. Indexes that are done need no quota.
std::int32_t completions_for(const api::batch::Job& job, std::int32_t admitted, std::int32_t count);

// How many of the `count` pods of the Job's Workload need their quota no longer: those of indexes that are done, once
// what is left to do is less than what may run at once.
std::int32_t reclaimable_pods(const api::batch::Job& job, std::int32_t count);

}  // namespace muster::controllers::jobqueue
