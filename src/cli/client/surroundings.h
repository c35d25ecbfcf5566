// What the client verbs need of the world: given by main, scripted in tests.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "cli/client/connection.h"
#include "cli/client/kubeconfig.h"

namespace muster::os {
class Files;
}

namespace muster::cli {

struct Surroundings {
    std::function<std::string(const char* name)> environment{};  // empty when not set
    std::function<Result<std::string>(const std::string& path)> read_file{};
    std::function<Result<std::string>(const std::string& path)> read_manifest{};  // files, directories, "-"
    std::function<Result<std::unique_ptr<Connection>>(const ServerAccess& access)> connect{};
    std::function<Instant()> now{};
};

// Reads manifests: a file, every .yaml, .yml and .json of a directory, or `input` for "-".
std::function<Result<std::string>(const std::string&)> manifest_reader(os::Files& files, std::istream& input);

}  // namespace muster::cli
