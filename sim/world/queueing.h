// The queue configuration of a world: "fair=1" turns on fair sharing, "ready_timeout=4s" evicts workloads whose pods
// are not ready in time.
#pragma once

#include "api/configuration/kueue_configuration.h"
#include "sim/world/settings.h"

namespace muster::sim {

// Of waitForPodsReady, in seconds.
inline constexpr int kReadyBackoffBase = 1;
inline constexpr int kReadyBackoffMax = 4;

api::kueue::QueueConfiguration queue_configuration(const Settings& settings);

}  // namespace muster::sim
