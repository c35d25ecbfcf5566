// Room for a pod at the cost of less important ones: which node, and who has to go. Pure.
// Chosen is the node where the fewest disruption budgets are violated, then where the most important victim matters
// least, then the sum of their priorities, then their number, then where they have run the shortest.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/policy.h"
#include "scheduler/board.h"

namespace muster::scheduler {

using Budgets = std::vector<client::Ref<api::policy::PodDisruptionBudget>>;

struct PreemptionPlan {
    std::optional<std::size_t> node{};
    std::vector<PodRef> victims{};
    // Nothing is to be done but to wait: the room on the nominated node is being made already.
    bool under_way = false;
    std::string message{};  // when there is no node: why not, after "preemption: "
};

// For a pod of the class that no node takes as things are.
PreemptionPlan decide_preemption(PodClass& kind, const api::core::Pod& pod, const Budgets& budgets);

}  // namespace muster::scheduler
