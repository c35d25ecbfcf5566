// Whether a queue, flavor or check may be deleted: a finalizer keeps it while it is in use. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/kinds/kueue/kueue.h"

namespace muster::controllers::queue {

// What coroutines take by value has a constructor: see os/loop/task.h.
struct HoldPlan {
    HoldPlan() {}          // NOLINT: an aggregate it must not be
    bool hold = false;     // give it the finalizer
    bool release = false;  // take the finalizer away: it goes
    std::string why{};     // it is to go and cannot yet
    bool operator==(const HoldPlan&) const = default;
};

// The names of those who use it, or some of them.
using FindUsers = std::function<std::vector<std::string>()>;

// `users` is asked only about what is being deleted.
HoldPlan decide_hold(const api::meta::ObjectMeta& metadata, const FindUsers& users);

bool uses_flavor(const api::kueue::ClusterQueue& queue, std::string_view flavor);
bool uses_check(const api::kueue::ClusterQueue& queue, std::string_view check);
// Whether admission to it has ended: nothing that is still under way will hold its quota.
bool is_closed(const api::kueue::ClusterQueue& queue);
// Whether the workload holds quota of that queue and has not finished.
bool uses_queue(const api::kueue::Workload& workload, std::string_view cluster_queue);

}  // namespace muster::controllers::queue
