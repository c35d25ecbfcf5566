// Removes the finalizer from deleted pods that can no longer run, so that their deletion does not wait, and from those
// that were deleted by force and whose node does not answer. Pods that have succeeded are kept until the group has
// finished, also those that succeeded while they were being stopped. Pure.
#pragma once

#include <optional>
#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Release {
    std::vector<PodRef> pods{};
    std::vector<Text> remove_owners{};  // by UID: the Workload stays for those that take the place of what was evicted
    std::optional<Instant> wake_at{};   // when a pod that was deleted by force is given up
};

Release decide_release(const Standing& standing);

}  // namespace muster::controllers::podqueue
