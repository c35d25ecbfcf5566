// Gives back the quota of pods that have succeeded, before the whole group has ended. Pure.
#pragma once

#include <optional>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

// The Workload's new reclaimablePods; nothing when they stay as they are. While the Workload holds quota they only
// grow; without quota they are computed from the pods.
std::optional<List<api::kueue::ReclaimablePod>> decide_reclaim(const Standing& standing);

}  // namespace muster::controllers::podqueue
