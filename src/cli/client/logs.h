// `muster logs`: what containers have written, of a pod, of the pods of a Job or another owner, or of those with
// labels; once, or as it comes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/connection/session.h"

namespace muster::cli {

struct LogsOptions {
    std::vector<std::string> arguments{};  // POD [CONTAINER] or TYPE/NAME [CONTAINER]
    std::string label_selector{};
    std::string container{};
    bool all_containers = false;
    bool follow = false;
    bool previous = false;
    bool timestamps = false;
    bool prefix = false;
    bool ignore_errors = false;
    std::optional<std::int64_t> tail{};  // none or negative: all, but of labelled pods the last 10
    std::string since{};                 // a span of time
    std::string since_time{};
    std::int64_t limit_bytes = 0;  // 0: no limit
    std::optional<std::int64_t> requests_max{};
};

int run_logs(const LogsOptions& options, Session& session);

}  // namespace muster::cli
