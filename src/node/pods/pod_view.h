// A pod's containers as the node knows them: which runs there were, and what is remembered between two looks. What
// decide_pod() and make_pod_status() are told.
#pragma once

#include <map>
#include <optional>

#include "api/kinds/core/pod.h"
#include "base/box.h"
#include "base/instant.h"

namespace muster::node {

// One start of a container's process, or the try.
struct Run {
    enum class State { kStarting, kRunning, kEnded };
    int attempt = 0;  // 0 is the first; equals the restarts before it
    State state = State::kStarting;
    Instant started_at{};
    Instant ended_at{};
    int exit_code = 0;  // as Kubernetes counts: 128 and the signal when one ended it
    Text reason{};      // of the end: Completed, Error, OOMKilled, StartError, ContainerStatusUnknown
    Text message{};
    bool message_read = false;  // what it said of its end is in the message
    bool active() const { return state != State::kEnded; }
    bool operator==(const Run&) const = default;
};

// A run is to end though its pod goes on.
struct Doom {
    Instant since{};
    Duration grace{};
    Text message{};  // of the event that tells it
    bool operator==(const Doom&) const = default;
};

// What looking after a run (care.h) has shown. Only containers with probes or hooks have any.
struct Vitals {
    int attempt = -1;          // whose they are
    bool hooked = false;       // the postStart hook is done
    bool started = false;      // the startup probe has passed
    bool ready = false;        // the readiness probe passes
    bool stop_begun = false;   // the preStop hook runs
    bool stop_hooked = false;  // and is done
    Box<Doom> doom{};
    bool operator==(const Vitals&) const = default;
};

// Why a container cannot be started at the moment.
struct Problem {
    Text reason{};  // CreateContainerConfigError, …
    Text message{};
    Instant retry_at{};
};

// How long a container that ends again and again waits for its next start.
struct Backoff {
    Duration delay{};  // 0: it has not been restarted yet
    Instant since{};
    bool operator==(const Backoff&) const = default;
};

// Kept for every container until its pod is gone: what few of them have is apart.
struct ContainerRuns {
    std::optional<Run> now{};  // the latest
    Box<Run> before{};         // the one before it
    Box<Problem> problem{};
    Backoff backoff{};
    int term_sent = -1;     // the attempt that was asked to end
    int kill_sent = -1;     // the attempt that was made to end
    int backoff_told = -1;  // the attempt whose end holds up the next, as was told
    Instant term_at{};      // when it was asked
    Vitals vitals{};
};
using RunsByContainer = std::map<Text, ContainerRuns>;

// The pod is to end, as something that outlasts it said.
struct Stop {
    Instant since{};
    Duration grace{};
    Text reason{};  // what the pod has then failed of; empty when it has not
    Text message{};
    bool operator==(const Stop&) const = default;
};

struct PodView {
    const api::core::Pod& pod;
    const RunsByContainer& runs;
    const std::optional<Stop>& stop;  // what an earlier plan began
    Instant now;

    const ContainerRuns& runs_of(const Text& container) const {
        static const ContainerRuns kNone;
        const auto found = runs.find(container);
        return found == runs.end() ? kNone : found->second;
    }
};

}  // namespace muster::node
