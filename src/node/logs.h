// What pods/log answers: which run's log a client means, and what it gets of it. Reading blocks, so it is for a worker.
#pragma once

#include <string>

#include "api/kinds/core/pod.h"
#include "base/instant.h"
#include "base/result.h"
#include "node/cri_log.h"
#include "os/files.h"

namespace muster::node {

// Where a log is, and what of it is wanted.
struct LogRequest {
    std::string path{};
    LogSelection selection{};
};

// Fails with kBadRequest and a kubelet's sentence: no such container, several to choose from, not started yet, no
// previous run. `directory` is the node's. Following is for whoever calls: the file only grows until the run has ended.
Result<LogRequest> find_log(const api::core::Pod& pod, const api::core::PodLogOptions& options,
                            const std::string& directory, Instant now);

// kNotFound when the log is gone, kTooLarge beyond kLogBytesMax.
inline constexpr std::size_t kLogBytesMax = 256u << 20;
Result<std::string> read_log(os::Files& files, const LogRequest& request);

}  // namespace muster::node
