// What the answers of a probe mean: how many in a row make a verdict, and when to ask again. Pure; care.h asks.
//
// A startup probe holds the other two back until it has passed once. A liveness or startup probe that has failed dooms
// its run and asks no more; a readiness probe goes on as long as the container runs.
#pragma once

#include <optional>

#include "api/kinds/core/container.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::node {

enum class ProbeKind { kStartup, kLiveness, kReadiness };
// "Startup", "Liveness", "Readiness": as events begin.
const char* probe_name(ProbeKind kind);

// The container's probe of that kind; null when it has none.
const api::core::Probe* find_probe(const api::core::Container& container, ProbeKind kind);

// kInvalid when it has one that this node cannot ask, kTooLarge when its command is more than the kernel starts.
Result<void> check_probes(const api::core::Container& container);

enum class ProbeAnswer {
    kSuccess,
    kFailure,
    kUnknown,  // the probe could not be run; it does not count
};
enum class ProbeVerdict { kPending, kPassed, kFailed };

struct ProbeState {
    ProbeVerdict verdict = ProbeVerdict::kPending;
    ProbeAnswer last = ProbeAnswer::kUnknown;
    int in_a_row = 0;  // answers like the last
    bool operator==(const ProbeState&) const = default;
};

// A container is taken for alive and for not ready until a probe says otherwise.
ProbeState first_probe_state(ProbeKind kind);
ProbeState next_probe_state(const api::core::Probe& probe, ProbeState state, ProbeAnswer answer);
// Whether there is nothing more to learn of this run.
bool is_settled(ProbeKind kind, const ProbeState& state);

// When to ask: at first once the initial delay has passed since the container's start, then a period after the asking
// before, at once when that was longer ago.
Instant next_probe_at(const api::core::Probe& probe, Instant container_started, std::optional<Instant> asked,
                      Instant now);

}  // namespace muster::node
