// A kubeconfig as kubectl reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/remote/access.h"

namespace muster::client {

struct KubeconfigOptions {
    std::string path{};                    // --kubeconfig
    std::optional<std::string> context{};  // --context, else current-context
};

// The files to look into, first to last: --kubeconfig alone, else those of $KUBECONFIG (colons between), else the one
// that `muster up` writes to its default data directory and ~/.kube/config.
std::vector<std::string> kubeconfig_paths(const std::string& flag, const std::string& environment,
                                          const std::string& data_directory, const std::string& home);

// Reads the files; of two that say the same thing the first counts, and missing ones are passed over unless all are.
// Files that a kubeconfig names are relative to it. kNotFound without any file, kBadRequest when it is none or asks for
// what we cannot do.
Result<ServerAccess> read_kubeconfig(const std::vector<std::string>& paths, const KubeconfigOptions& options,
                                     const ReadFile& read_file);

}  // namespace muster::client
