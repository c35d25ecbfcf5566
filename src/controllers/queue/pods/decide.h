// What is to be done for a single pod or a group of pods that waits in a queue: make its Workload when it is whole, let
// the pods through when that is admitted, stop them when it is evicted, count their ends, and let go of each pod
// exactly when it no longer matters. Pure.
#pragma once

#include "controllers/queue/pods/group/plan.h"

namespace muster::controllers::podqueue {

GroupPlan decide_group(const GroupView& view);

}  // namespace muster::controllers::podqueue
