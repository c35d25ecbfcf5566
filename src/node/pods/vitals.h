// How a container that runs is doing, as far as its probes and hooks say. Pure. A container without any is started and
// ready as soon as it runs.
#pragma once

#include "node/pods/pod_view.h"
#include "node/pods/probe_state.h"

namespace muster::node {

// Seconds, as Kubernetes gives a pod that does not say.
inline constexpr std::int64_t kGraceDefault = 30;

// Whether anybody has to look after it while it runs.
bool needs_care(const api::core::Container& container);
bool has_pre_stop(const api::core::Container& container);

// Each holds of the latest run, and implies the one before.
bool is_up(const api::core::Container& container, const ContainerRuns& runs);       // it runs, and postStart is done
bool is_started(const api::core::Container& container, const ContainerRuns& runs);  // and its startup probe has passed
bool is_ready(const api::core::Container& container, const ContainerRuns& runs);    // and its readiness probe passes

// Why the latest run is to end; null when it is not.
const Doom* find_doom(const ContainerRuns& runs);
// The run ends because the probe has failed: the probe's own grace goes before the pod's.
Doom doom_by_probe(const api::core::Pod& pod, const api::core::Container& container, bool init, ProbeKind kind,
                   Instant now);
Doom doom_by_hook(const api::core::Pod& pod, Instant now);

// A span that a manifest states in seconds, of which any number is allowed; a hundred years at most.
Duration span_of(std::int64_t seconds);
// How long a pod's containers have to end, when nothing else is said.
Duration pod_grace(const api::core::Pod& pod);

}  // namespace muster::node
