// What a pod's containers have written, read where their node keeps it. A seam: `main` gives the node's logs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "cli/run/report.h"

namespace muster::cli {

class PodOutput {
public:
    virtual ~PodOutput() = default;
    // What has come since the last call; empty when nothing has. Blocks no longer than a disk does.
    virtual std::string more(Stream stream) = 0;
};

struct PodLogs {
    // The output of a container from its start, as soon as it has started.
    std::function<Result<std::unique_ptr<PodOutput>>(const api::core::Pod& pod, const Text& container)> open{};
    // Its last lines, and where the whole is. Empty when there is nothing.
    struct Tail {
        std::string text{};
        std::string path{};
    };
    std::function<Tail(const api::core::Pod& pod, const Text& container)> tail{};
};

}  // namespace muster::cli
