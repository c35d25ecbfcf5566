// How queueing is configured in a world: "fair=1" shares by weight, "ready_timeout=4s" takes quota back from whoever
// has pods that are not ready in time.
#pragma once

#include "controllers/queue/queue.h"
#include "sim/world/settings.h"

namespace muster::sim {

// Of waitForPodsReady, in seconds.
inline constexpr int kReadyBackoffBase = 1;
inline constexpr int kReadyBackoffMax = 4;

controllers::QueueOptions queue_options(const Settings& settings);

}  // namespace muster::sim
