// What a pod needs next: which containers to start, which to stop, and when to look again. Pure; the agent carries the
// plan out and tells the runs.
//
//     init containers one after the other → containers together → (sidecars last to first) → ended
//
// Every start has an attempt number one above the container's latest; a plan never names an attempt that has a run.
#pragma once

#include <vector>

#include "node/pods/pod_view.h"

namespace muster::node {

struct StartStep {
    const api::core::Container* container = nullptr;
    bool init = false;
    int attempt = 0;
};
struct SignalStep {
    Text container{};
    int attempt = 0;
    bool kill = false;  // else it is asked to end
};
struct HookStep {
    Text container{};
    int attempt = 0;
};

struct PodPlan {
    std::vector<StartStep> start{};
    std::vector<HookStep> pre_stop{};  // to begin; the container is asked to end when it is done
    std::vector<SignalStep> signal{};
    std::optional<Stop> stop{};  // that the pod is to end: remembered from now on
    bool ended = false;          // nothing runs and nothing will
    std::optional<Instant> wake_at{};
};

PodPlan decide_pod(const PodView& view);

}  // namespace muster::node
