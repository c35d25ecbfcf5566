// The logs of pods, as `muster run` reads them. A seam: `main` gives those of the node in this process, or a server's.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "client/pods/pod_access.h"

namespace muster::cli {

struct PodLogs {
    // The log that the options say. A log that is followed ends with its container's run.
    std::function<Result<std::unique_ptr<client::LogStream>>(const api::core::Pod& pod,
                                                             const api::core::PodLogOptions& options)>
        open{};
    // Whether standard output and standard error can be read apart.
    bool splits_streams = true;
    // Where the whole log of a container is, for people; empty when that is not on this machine.
    std::function<std::string(const api::core::Pod& pod, const Text& container)> place =
        [](const api::core::Pod&, const Text&) { return std::string(); };
};

}  // namespace muster::cli
