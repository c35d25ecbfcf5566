// `muster manifests`: prints the objects that install Muster on a cluster. What they are is decided in src/manifests.
#pragma once

#include <string>
#include <vector>

#include "cli/text/terminal.h"
#include "manifests/settings.h"

namespace CLI {
class App;
}

namespace muster::cli {

struct ManifestsOptions {
    std::vector<std::string> parts{};  // none: all
    std::string output = "yaml";       // or json: one List
    manifests::Settings settings{};
};

// The verb's own part of the app. The options must outlive the parse.
CLI::App* declare_manifests(CLI::App& app, ManifestsOptions& options);

// Gives the exit code.
int run_manifests(const ManifestsOptions& options, Terminal terminal);

}  // namespace muster::cli
