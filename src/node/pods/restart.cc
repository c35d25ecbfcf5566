#include "node/pods/restart.h"

#include <algorithm>

namespace muster::node {
namespace {

constexpr std::string_view kAlways = "Always";

bool rule_matches(const api::core::ContainerRestartRule& rule, int exit_code) {
    if (!rule.exit_codes) return false;
    const auto& values = rule.exit_codes->values;
    const bool listed = std::find(values.begin(), values.end(), exit_code) != values.end();
    return rule.exit_codes->operator_ == "NotIn" ? !listed : listed;
}

bool is_forgiven(const Backoff& backoff, Instant at) { return at - backoff.since > kBackoffReset; }

}  // namespace

bool is_sidecar(const api::core::Container& init_container) {
    return init_container.restart_policy && *init_container.restart_policy == kAlways;
}

bool restarts(const api::core::Pod& pod, const api::core::Container& container, bool init, int exit_code) {
    if (init && is_sidecar(container)) return true;
    if (init && exit_code == 0) return false;
    for (const auto& rule : container.restart_policy_rules)
        if (rule.action == "Restart" && rule_matches(rule, exit_code)) return true;
    const Text& policy = container.restart_policy ? *container.restart_policy : pod.spec.restart_policy;
    if (policy == "Never") return false;
    if (policy == "OnFailure") return exit_code != 0;
    return true;
}

Instant restart_at(const Backoff& backoff, Instant ended_at) {
    return is_forgiven(backoff, ended_at) ? ended_at : ended_at + backoff.delay;
}

Backoff next_backoff(const Backoff& backoff, Instant ended_at, Instant now) {
    if (backoff.delay == Duration() || is_forgiven(backoff, ended_at)) return {kBackoffFirst, now};
    return {std::min(2 * backoff.delay, kBackoffMax), now};
}

Backoff rebuild_backoff(int attempt, Instant started_at) {
    if (attempt == 0) return {};
    Duration delay = kBackoffFirst;
    for (int i = 1; i < attempt && delay < kBackoffMax; ++i) delay *= 2;
    return {std::min(delay, kBackoffMax), started_at};
}

}  // namespace muster::node
