// Removes the finalizer from deleted pods that can no longer run, so that their deletion does not wait. Pods that have
// succeeded are kept until the group has finished, also those that succeeded while they were being stopped. Pure.
#pragma once

#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Release {
    std::vector<PodRef> pods{};
    std::vector<Text> remove_owners{};  // by UID: the Workload stays for those that take the place of what was evicted
};

Release decide_release(const Standing& standing);

}  // namespace muster::controllers::podqueue
