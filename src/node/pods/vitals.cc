#include "node/pods/vitals.h"

#include <algorithm>

#include "node/pods/restart.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;

bool has_post_start(const Container& container) { return container.lifecycle && container.lifecycle->post_start; }

const Vitals* vitals_of_latest(const ContainerRuns& runs) {
    return runs.now && runs.vitals.attempt == runs.now->attempt ? &runs.vitals : nullptr;
}

}  // namespace

bool has_pre_stop(const Container& container) { return container.lifecycle && container.lifecycle->pre_stop; }

bool needs_care(const Container& container) {
    return container.startup_probe || container.liveness_probe || container.readiness_probe ||
           has_post_start(container) || has_pre_stop(container);
}

bool is_up(const Container& container, const ContainerRuns& runs) {
    if (!runs.now || runs.now->state != Run::State::kRunning) return false;
    if (!has_post_start(container)) return true;
    const Vitals* vitals = vitals_of_latest(runs);
    return vitals && vitals->hooked;
}

bool is_started(const Container& container, const ContainerRuns& runs) {
    if (!is_up(container, runs)) return false;
    if (!container.startup_probe) return true;
    const Vitals* vitals = vitals_of_latest(runs);
    return vitals && vitals->started;
}

bool is_ready(const Container& container, const ContainerRuns& runs) {
    if (!is_started(container, runs)) return false;
    if (!container.readiness_probe) return true;
    const Vitals* vitals = vitals_of_latest(runs);
    return vitals && vitals->ready;
}

const Doom* find_doom(const ContainerRuns& runs) {
    const Vitals* vitals = vitals_of_latest(runs);
    return vitals && vitals->doom ? &*vitals->doom : nullptr;
}

Duration span_of(std::int64_t seconds) {
    constexpr std::int64_t kMost = std::int64_t{100} * 365 * 24 * 3600;
    return std::chrono::seconds(std::clamp(seconds, -kMost, kMost));
}

Duration pod_grace(const Pod& pod) {
    return span_of(pod.spec.termination_grace_period_seconds.value_or(kGraceDefault));
}

Doom doom_by_probe(const Pod& pod, const Container& container, bool init, ProbeKind kind, Instant now) {
    Doom doom{now, pod_grace(pod), {}};
    if (const auto* probe = find_probe(container, kind); probe && probe->termination_grace_period_seconds)
        doom.grace = span_of(*probe->termination_grace_period_seconds);
    const bool again = restarts(pod, container, init, 1);
    doom.message = "Container " + container.name.str() + " failed " +
                   (kind == ProbeKind::kStartup ? "startup" : "liveness") + " probe" +
                   (again ? ", will be restarted" : "");
    return doom;
}

Doom doom_by_hook(const Pod& pod, Instant now) { return {now, pod_grace(pod), "FailedPostStartHook"}; }

}  // namespace muster::node
