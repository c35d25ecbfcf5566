// Whether and when a container that has ended is started again. Pure.
#pragma once

#include "node/pods/pod_view.h"

namespace muster::node {

inline constexpr Duration kBackoffFirst = 10s;
inline constexpr Duration kBackoffMax = 300s;
// A run that lasted this long forgives what was before it.
inline constexpr Duration kBackoffReset = 2 * kBackoffMax;

// An init container that goes on running beside the others.
bool is_sidecar(const api::core::Container& init_container);

// Whether an end with this code is followed by another start. `init` for init containers, of which a success is final
// unless they are sidecars.
bool restarts(const api::core::Pod& pod, const api::core::Container& container, bool init, int exit_code);

// When the container that ended then may start again: at once the first time, later each time after.
Instant restart_at(const Backoff& backoff, Instant ended_at);
// As it is once a container is started again.
Backoff next_backoff(const Backoff& backoff, Instant ended_at, Instant now);
// The backoff as far as it follows from the latest attempt, when it is not known.
Backoff rebuild_backoff(int attempt, Instant started_at);

}  // namespace muster::node
