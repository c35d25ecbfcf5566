// Eviction: a delete that asks the pod's disruption budget first. What the budget says is a pure decision.
#pragma once

#include "api/kinds/core/pod.h"
#include "api/kinds/policy.h"
#include "server/rest/verbs.h"

namespace muster::server {

struct EvictionPlan {
    // The budget as it must be stored before the pod goes; nothing when it is not touched.
    std::optional<api::policy::PodDisruptionBudget> budget{};
};
// `budgets` are those that select the pod. kTooManyRequests when the budget does not allow it.
Result<EvictionPlan> decide_eviction(const api::core::Pod& pod,
                                     const std::vector<const api::policy::PodDisruptionBudget*>& budgets, Instant now);

// POST pods/NAME/eviction.
Result<Answer> evict_pod(Objects& objects, Call& call);

}  // namespace muster::server
