// What becomes of a Workload whose owner was deleted without it (`kubectl delete --cascade=orphan`, the API's default
// for Jobs), or whose owner references were removed by hand: it keeps its quota while pods of it run, is finished with
// the reason OwnerNotFound when the last has ended, and can then be deleted. When it is evicted its pods are deleted,
// as no other controller stops them. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kinds/kueue/workload.h"
#include "base/instant.h"
#include "controllers/queue/pods/group/member.h"

namespace muster::controllers::queue {

// The Workload had an owner, as its finalizer shows, and has none now. False for Workloads of pod groups: they depend
// on the pods of their group (pods/).
bool is_orphan(const api::kueue::Workload& workload);

struct OrphanPlan {
    std::vector<podqueue::PodRef> remove{};
    std::optional<api::kueue::WorkloadStatus> status{};
    bool release = false;  // the finalizer, after the status
    std::string why{};     // it is being deleted and waits for pods
    std::optional<Instant> wake_at{};
};

// `pods` were started with the quota of the Workload.
OrphanPlan decide_orphan(const api::kueue::Workload& workload, const std::vector<podqueue::PodRef>& pods, Instant now);

}  // namespace muster::controllers::queue
