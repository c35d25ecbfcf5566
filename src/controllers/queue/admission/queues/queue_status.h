// Whether a queue admits workloads, and what its status says. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/kinds/kueue/kueue.h"
#include "controllers/queue/admission/model/ledger.h"
#include "controllers/queue/admission/model/names.h"

namespace muster::controllers::queue {

enum class Stop : std::uint8_t { kNone, kHold, kHoldAndDrain };
Stop parse_stop(const std::optional<Text>& policy);

struct Activity {
    bool active = false;
    Text reason{};
    std::string message{};
    bool operator==(const Activity&) const = default;
};

struct QueueNeeds {
    std::function<bool(const Text& flavor)> has_flavor;
    // Nothing when there is no such check, else whether its controller is at work.
    std::function<std::optional<bool>(const Text& check)> check_active;
    bool in_cycle = false;
};

Activity find_activity(const api::kueue::ClusterQueue& queue, const QueueNeeds& known);
// `cluster_queue` is null when it does not exist.
Activity find_activity(const api::kueue::LocalQueue& queue, const Activity* cluster_queue);

api::kueue::ClusterQueueStatus make_status(const api::kueue::ClusterQueue& queue, const Activity& activity,
                                           const QueueCounts& counts, const std::optional<Share>& share, Names& names,
                                           Instant now);
api::kueue::CohortStatus make_status(const api::kueue::Cohort& cohort, const std::optional<Share>& share);
api::kueue::LocalQueueStatus make_status(const api::kueue::LocalQueue& queue, const Activity& activity,
                                         const api::kueue::ClusterQueue* cluster_queue, const QueueCounts& counts,
                                         Names& names, Instant now);

}  // namespace muster::controllers::queue
