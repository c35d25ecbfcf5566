#include "sim/world/queueing.h"

namespace muster::sim {

api::kueue::QueueConfiguration queue_configuration(const Settings& settings) {
    api::kueue::QueueConfiguration configuration;
    if (settings.number("fair", 0) != 0) configuration.fair_sharing.emplace();
    const Duration timeout = settings.span("ready_timeout", Duration());
    if (timeout == Duration()) return configuration;
    api::kueue::PodsReadyRules& rules = configuration.wait_for_pods_ready.emplace();
    rules.timeout = timeout;
    rules.recovery_timeout = timeout;
    rules.block_admission = settings.number("ready_blocks", 0) != 0;
    rules.backoff_base_seconds = kReadyBackoffBase;
    rules.backoff_max_seconds = kReadyBackoffMax;
    if (settings.has("ready_limit")) rules.backoff_limit_count = static_cast<int>(settings.number("ready_limit", 0));
    return configuration;
}

}  // namespace muster::sim
