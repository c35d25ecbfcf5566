// Selects the pods that a group has no place for: those beyond the count of their role, and those of no role. Pure.
#pragma once

#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Rejection {
    std::vector<PodRemoval> remove{};
    std::vector<Role> roles{};  // without the pods that are rejected
};

// Without quota the Workload still follows its pods (decide_mending), and only a driven group rejects any.
Rejection decide_rejection(const Standing& standing);

}  // namespace muster::controllers::podqueue
