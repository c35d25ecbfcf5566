// What the scheduler counts, under upstream's names.
#pragma once

#include <cstddef>

#include "base/instant.h"
#include "client/metrics.h"

namespace muster::scheduler {

// What came of a round that took so long; each of its pods is an attempt.
void count_attempts(client::Metrics& metrics, std::size_t scheduled, std::size_t unschedulable, Duration took);
// Bindings that failed.
void count_errors(client::Metrics& metrics, std::size_t errors);
void count_victim(client::Metrics& metrics);
void show_pending(client::Metrics& metrics, std::size_t active, std::size_t unschedulable);

}  // namespace muster::scheduler
