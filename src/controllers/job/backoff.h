// How long a Job, or one index of it, waits after failures before it makes a new pod: 10 s, doubled with each further
// failure since the last success, 10 minutes at most. Ignored failures count here, too.
#pragma once

#include <optional>
#include <span>

#include "controllers/job/pods/view.h"

namespace muster::controllers::jobs {

// The record after more pods have ended. A finish that lies in the future, as a node's clock may say, counts as now.
BackoffRecord update_backoff(const BackoffRecord& record, std::span<const Instant> successes,
                             std::span<const Instant> failures, Instant now);

// The record that a controller has to start with: from every pod the Job owns, finished ones without the finalizer
// included. Pods that no status has accounted for yet are left to decide_status; failures whose pods are gone are
// forgotten, since a status does not say when they were.
BackoffRecord rebuild_backoff(const api::batch::Job& job, const Gates& gates, std::span<const PodRef> all_pods,
                              Instant now);

// When the next pod may be made; nothing when it may be now.
std::optional<Instant> backoff_end(const BackoffRecord& record, const Limits& limits, Instant now);
// The same for an index whose last pod failed, after `failures` failures altogether.
std::optional<Instant> backoff_end(std::int32_t failures, Instant last_failure, const Limits& limits, Instant now);

}  // namespace muster::controllers::jobs
