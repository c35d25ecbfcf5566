// What the client verbs need of the world: given by main, scripted in tests.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "cli/connection/connection.h"
#include "client/remote/kubeconfig.h"

namespace muster::os {
class Files;
}

namespace muster::cli {

using client::kubeconfig_paths;
using client::KubeconfigOptions;
using client::read_kubeconfig;
using client::ServerAccess;

// The manifests that a path stands for: those of a directory, with `recursive` also those of directories below; the
// path itself when it is none.
using ManifestsIn = std::function<Result<std::vector<std::string>>(const std::string& path, bool recursive)>;

struct Surroundings {
    std::function<std::string(const char* name)> environment{};  // empty when not set
    std::function<Result<std::string>(const std::string& path)> read_file{};
    std::function<Result<std::string>(const std::string& path)> read_manifest{};  // files, directories, "-"
    ManifestsIn manifests_in{};
    std::function<Result<std::unique_ptr<Connection>>(const ServerAccess& access)> connect{};
    std::function<Instant()> now{};
};

// Reads manifests: a file, every .yaml, .yml and .json of a directory, or `input` for "-".
std::function<Result<std::string>(const std::string&)> manifest_reader(os::Files& files, std::istream& input);
ManifestsIn manifest_finder(os::Files& files);

}  // namespace muster::cli
