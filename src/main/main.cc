// The composition root: where the parts are made and handed to each other.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "cli/command_line.h"
#include "cli/connection/http_connection.h"
#include "cli/connection/surroundings.h"
#include "main/cluster/controllers.h"
#include "main/node.h"
#include "main/process_log.h"
#include "main/run.h"
#include "main/up.h"
#include "node/keeper/keeper.h"
#include "os/files/files.h"
#include "os/loop/real_loop.h"

namespace {

constexpr std::size_t kConfigBytesMax = 16u << 20;

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == muster::kNodeHelperVerb) return muster::node::run_keeper(argv[2]);
    muster::os::LinuxFiles files;
    muster::cli::Surroundings surroundings;
    surroundings.environment = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    surroundings.read_file = [&](const std::string& path) { return files.read(path, kConfigBytesMax); };
    surroundings.read_manifest = muster::cli::manifest_reader(files, std::cin);
    surroundings.manifests_in = muster::cli::manifest_finder(files);
    surroundings.connect = [&](const muster::client::ServerAccess& access) {
        muster::client::TransportSettings settings;
        settings.variable = surroundings.environment;
        settings.read_file = surroundings.read_file;
        return muster::cli::connect_http(access, std::move(settings));
    };
    surroundings.now = [] { return muster::os::RealLoop().now(); };
    std::unique_ptr<muster::ProcessLog> log;
    muster::cli::Verbs verbs;
    verbs.start_log = [&](const muster::cli::LogOptions& options) {
        log = std::make_unique<muster::ProcessLog>(options);
    };
    verbs.up = &muster::run_up;
    verbs.run = [&](const muster::cli::RunOptions& options, muster::cli::Terminal terminal) {
        return muster::run_run(options, terminal, surroundings);
    };
    verbs.controllers = [&](const muster::cli::ControllersOptions& options, muster::cli::Terminal terminal) {
        return muster::run_controllers(options, terminal, surroundings);
    };
    return muster::cli::run_command_line(argc, argv, {std::cout, std::cerr}, &surroundings, verbs);
}
