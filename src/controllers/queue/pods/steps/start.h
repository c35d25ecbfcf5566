// Lets the pods of an admitted Workload through, as many of each role as there is quota for. Pure.
#pragma once

#include <optional>
#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Starting {
    std::vector<GroupNote> notes{};
    std::optional<Instant> wake_at{};
    std::vector<PodRemoval> remove{};  // a pod that cannot be started while others run
    std::optional<Ending> ending{};    // a pod that cannot be started, and the group needs it: then none starts
    std::vector<PodStart> start{};
};

Starting decide_start(const Standing& standing);

}  // namespace muster::controllers::podqueue
