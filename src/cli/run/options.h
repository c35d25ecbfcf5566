// What `muster run` was told on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

struct RunOptions {
    std::vector<std::string> files{};  // manifests; "-" is standard input. Either these …
    bool has_command = false;          // … or what stands behind "--"
    std::vector<std::string> command{};

    // Of a command's Job.
    std::string name{};
    std::optional<std::int32_t> completions{};
    std::optional<std::int32_t> parallelism{};
    std::optional<std::int32_t> retries{};
    std::optional<std::int32_t> backoff_limit{};
    std::optional<std::int32_t> backoff_limit_per_index{};
    std::optional<std::int32_t> max_failed_indexes{};
    std::vector<std::string> env{};  // NAME=value, or NAME for the caller's
    bool clean_env = false;
    std::string work_directory{};  // the caller's own when empty
    std::string cpu{};
    std::string memory{};
    bool keep = false;

    std::string namespace_{};
    std::string data_directory = "muster-data";
    std::string kubeconfig{};  // with one of these two the server is the kubeconfig's, and not the data directory's
    std::string context{};
    bool remove = false;  // when it is complete
    bool logs = false;
    bool json = false;
    bool quiet = false;
};

}  // namespace muster::cli
