// Puts new members of a group in the place of those that failed: new members become owners of the Workload, too, and
// only then may those go whose place they take. Pure.
#pragma once

#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Replacement {
    std::vector<api::meta::OwnerReference> add_owners{};
    std::vector<PodRef> release{};  // those that failed first come first
};

Replacement decide_replacement(const Standing& standing);

}  // namespace muster::controllers::podqueue
