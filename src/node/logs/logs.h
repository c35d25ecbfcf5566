// What pods/log answers: which run's log a client means, and what it wants of it. log_follower.h reads it.
#pragma once

#include <string>

#include "api/kinds/core/pod.h"
#include "base/instant.h"
#include "base/result.h"
#include "node/logs/cri_log.h"
#include "node/runtime/run.h"

namespace muster::node {

// Where a log is, and what of it is wanted.
struct LogRequest {
    RunKey key{};
    std::string path{};
    LogSelection selection{};
    bool follow = false;
};

// Fails with kBadRequest and a kubelet's sentence: no such container, several to choose from, not started yet, no
// previous run. `directory` is the node's.
Result<LogRequest> find_log(const api::core::Pod& pod, const api::core::PodLogOptions& options,
                            const std::string& directory, Instant now);

// The run of a container that runs now, as its pod's status says; nothing when it does not.
std::optional<RunKey> find_running(const api::core::Pod& pod, const Text& container);

}  // namespace muster::node
