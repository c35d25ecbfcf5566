// Stops a group that is evicted or that runs without quota: what runs is deleted, and the quota is free when nothing
// runs any more. Pure.
#pragma once

#include <optional>
#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Stopping {
    std::vector<PodRemoval> remove{};
    std::optional<Instant> wake_at{};  // when a pod whose node does not answer is given up
    bool gives_back_quota = false;
    std::optional<Ending> ending{};
};

Stopping decide_stop(const Standing& standing);

}  // namespace muster::controllers::podqueue
