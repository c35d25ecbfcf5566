// Keeps the Workload as its pods are. While no quota is reserved it follows them: another queue, another shape, other
// sets, other admission gates. With quota only its priority and the time it may run change. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

struct Mending {
    std::vector<GroupNote> notes{};
    std::optional<Instant> wake_at{};
    std::string missing{};             // why no Workload would be made for the pods as they are; it gets no quota
    std::vector<PodRemoval> remove{};  // the group has become smaller
    std::optional<Ending> ending{};    // the Workload was made before the pods, and for others
    std::optional<api::kueue::WorkloadSpec> spec{};
};

// The group must have members.
Mending decide_mending(const Standing& standing);

// The Workload's new admission gates; nothing when they stay. The oldest pod that waits names them for the group.
std::optional<Text> decide_gates(const Standing& standing);

}  // namespace muster::controllers::podqueue
