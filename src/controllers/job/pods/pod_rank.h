// Which of a Job's active pods go first when there are too many: those that have come least far. Not on a node before
// on one, pending before running, not ready before ready, ready for a short time before long, restarted often before
// seldom, young before old.
#pragma once

#include <vector>

#include "api/kinds/core/pod.h"

namespace muster::controllers::jobs {

struct RankedPod {
    const api::core::Pod* pod = nullptr;
    std::size_t place = 0;  // the caller's
};

// Sorts those first that should go first. A pod without the tracking finalizer goes before all others, as its end will
// not be counted; otherwise equal ones stay in order.
void rank_for_removal(std::vector<RankedPod>& pods);

}  // namespace muster::controllers::jobs
