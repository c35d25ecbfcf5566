#include "controllers/job/pods/pod_rank.h"

#include <algorithm>
#include <tuple>

#include "controllers/job/pods/pod_state.h"

namespace muster::controllers::jobs {

using api::core::Pod;

namespace {

int phase_rank(const Pod& pod) { return pod.status.phase == "Running" ? 2 : pod.status.phase == "Unknown" ? 1 : 0; }

// Later times come first, and unknown ones before all.
std::int64_t later_first(const api::Time& time) {
    return time.is_null() ? std::numeric_limits<std::int64_t>::min() : -time.unix_seconds();
}

struct Restarts {
    std::int32_t containers = 0;
    std::int32_t sidecars = 0;
};
Restarts restarts_of(const Pod& pod) {
    Restarts most;
    for (const auto& status : pod.status.container_statuses)
        most.containers = std::max(most.containers, status.restart_count);
    for (const auto& status : pod.status.init_container_statuses) {
        for (const auto& container : pod.spec.init_containers) {
            if (container.name == status.name && container.restart_policy && *container.restart_policy == "Always")
                most.sidecars = std::max(most.sidecars, status.restart_count);
        }
    }
    return most;
}

// Smaller goes first.
using RankKey = std::tuple<bool, bool, int, bool, std::int64_t, std::int32_t, std::int32_t, std::int64_t>;
RankKey rank_key(const Pod& pod) {
    const bool ready = is_ready(pod);
    const Restarts restarts = restarts_of(pod);
    return {has_tracking_finalizer(pod),
            !pod.spec.node_name.empty(),
            phase_rank(pod),
            ready,
            ready ? later_first(find_condition(pod, "Ready")->last_transition_time) : 0,
            -restarts.containers,
            -restarts.sidecars,
            later_first(pod.metadata.creation_timestamp)};
}

}  // namespace

void rank_for_removal(std::vector<RankedPod>& pods) {
    std::vector<std::pair<RankKey, RankedPod>> keyed;
    keyed.reserve(pods.size());
    for (const RankedPod& ranked : pods) keyed.emplace_back(rank_key(*ranked.pod), ranked);
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < pods.size(); ++i) pods[i] = keyed[i].second;
}

}  // namespace muster::controllers::jobs
