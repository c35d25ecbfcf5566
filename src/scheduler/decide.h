// One round of placing: many pods against one snapshot, each seeing the ones placed before it. Pure; the shell
// (scheduler.h) carries the plan out.
// Pods that are alike share all the work: per kind of pod the nodes stand in a heap by how good they are, and a
// placement moves one of them. Pods with rules about other pods look at nodes one by one, at enough of them to find a
// good one.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/policy.h"
#include "scheduler/snapshot.h"
#include "scheduler/why.h"

namespace muster::scheduler {

struct PendingPod {
    PodRef pod;
    // It is not its turn; but the node that others were removed for it on is kept free for it.
    bool only_reserves = false;
};

struct Placement {
    PodRef pod;
    Text node;
};

struct Refusal {
    PodRef pod;
    std::string message;
    unsigned wakes = 0;  // a set of WakeOn
    // Others of its shape and priority that have their turn after it would be refused as well.
    bool alike_too = false;
    // Where room is being made for it, and who has to go for that.
    Text nominated_node;
    std::vector<PodRef> victims;
};

struct RoundPlan {
    std::vector<Placement> place;
    std::vector<Refusal> refuse;
};

struct RoundView {
    const Snapshot& snapshot;
    std::vector<client::Ref<api::policy::PodDisruptionBudget>> budgets;
};

// The order in which pods have their turn: by priority, then by age.
bool comes_before(const api::core::Pod& left, const api::core::Pod& right);

// Each pod that is not only there to reserve is either placed or refused.
RoundPlan decide_round(const RoundView& view, std::vector<PendingPod> pods);

}  // namespace muster::scheduler
