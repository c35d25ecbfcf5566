#include "main/node.h"

#include <charconv>

#include "base/ascii.h"
#include "node/agent.h"
#include "node/logs.h"
#include "node/process_runtime.h"
#include "node/simulated_runtime.h"
#include "os/entropy.h"
#include "os/files.h"
#include "os/linux_processes.h"
#include "os/machine.h"
#include "os/process_table.h"
#include "server/local_client.h"

namespace muster {
namespace {

constexpr int kSimulatedMax = 20000;
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr const char* kOwnProgram = "/proc/self/exe";
constexpr const char* kHostAddress = "127.0.0.1";

server::User node_user(const Text& name) {
    server::User user;
    user.name = "system:node:" + name.str();
    user.groups = {"system:nodes", "system:authenticated"};
    return user;
}

// Names of objects are lower case, which names of machines need not be.
std::string node_name() {
    const std::string name = lower(os::host_name());
    return name.empty() ? "muster" : name;
}

node::NodeDescription this_machine() {
    node::NodeDescription node;
    node.name = node_name();
    node.host_ip = kHostAddress;
    node.cpu = api::Quantity::from_int(os::processor_count());
    node.memory = api::Quantity::from_int(static_cast<std::int64_t>(os::memory_bytes() / 1024 * 1024),
                                          api::Quantity::Format::kBinarySI);
    node.machine = os::machine_info();
    node.runtime = "muster-process://1";
    return node;
}

node::NodeDescription simulated_node(int number) {
    node::NodeDescription node;
    node.name = "simulated-" + std::to_string(number);
    node.host_ip = kHostAddress;
    node.cpu = api::Quantity::from_int(32);
    node.memory = api::Quantity::parse("256Gi").value();
    node.pods_max = 110;
    node.machine = os::machine_info();
    node.runtime = "muster-simulated://1";
    node.labels.set("type", "simulated");
    return node;
}

class ProcessNode final : public NodeSet {
public:
    ProcessNode(os::RealLoop& loop, server::Objects& objects, client::Metrics& metrics, const std::string& directory)
        : processes_(loop),
          client_(objects, node_user(node_name())),
          runtime_(loop, processes_, directory, {kOwnProgram, kNodeHelperVerb, directory}),
          agent_(loop, client_, metrics, runtime_, options(directory)),
          directory_(directory) {
        agent_.start();
    }
    server::OpenLog open_log(const os::Loop& loop) const override {
        return [&loop, directory = directory_](
                   const api::core::Pod& pod,
                   const api::core::PodLogOptions& options) -> Result<std::function<std::string()>> {
            TRY_ASSIGN(const node::LogRequest request, node::find_log(pod, options, directory, loop.now()));
            return std::function<std::string()>([request] {
                os::LinuxFiles files;
                auto text = node::read_log(files, request);
                return text.ok() ? *std::move(text) : "cannot read the log: " + text.error().message + '\n';
            });
        };
    }

private:
    static node::AgentOptions options(const std::string& directory) {
        node::AgentOptions options;
        options.nodes.push_back(this_machine());
        options.directory = directory;
        options.base_environment["PATH"] = kPath;
        options.user_id = os::user_id();
        return options;
    }
    os::LinuxProcesses processes_;
    server::LocalClient client_;
    node::ProcessRuntime runtime_;
    node::Agent agent_;
    std::string directory_;
};

class SimulatedNodes final : public NodeSet {
public:
    SimulatedNodes(int count, os::RealLoop& loop, server::Objects& objects, client::Metrics& metrics)
        : client_(objects, node_user("simulated")),
          runtime_(loop, os::draw_seed()),
          agent_(loop, client_, metrics, runtime_, options(count)) {
        agent_.start();
    }
    server::OpenLog open_log(const os::Loop&) const override { return {}; }

private:
    static node::AgentOptions options(int count) {
        node::AgentOptions options;
        for (int i = 0; i < count; ++i) options.nodes.push_back(simulated_node(i));
        options.pretend = true;
        return options;
    }
    server::LocalClient client_;
    node::SimulatedRuntime runtime_;
    node::Agent agent_;
};

}  // namespace

Result<NodeChoice> parse_node(std::string_view text) {
    constexpr std::string_view kCounted = "simulated=";
    NodeChoice choice;
    if (text == "none") return choice;
    if (text == "process") {
        choice.kind = NodeChoice::Kind::kProcess;
        return choice;
    }
    choice.kind = NodeChoice::Kind::kSimulated;
    if (text == "simulated") return choice;
    if (text.starts_with(kCounted)) {
        const std::string_view digits = text.substr(kCounted.size());
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), choice.count);
        if (error == std::errc() && end == digits.data() + digits.size() && choice.count > 0 &&
            choice.count <= kSimulatedMax)
            return choice;
    }
    return Error{Code::kBadRequest, "--node is process, simulated, simulated=COUNT (up to " +
                                        std::to_string(kSimulatedMax) + ") or none, not \"" + std::string(text) + '"'};
}

std::unique_ptr<NodeSet> start_nodes(NodeChoice choice, os::RealLoop& loop, server::Objects& objects,
                                     client::Metrics& metrics, const std::string& data_directory) {
    switch (choice.kind) {
        case NodeChoice::Kind::kNone: break;
        case NodeChoice::Kind::kProcess: {
            // Processes have other working directories.
            const std::string directory = os::absolute_path(data_directory) + "/node";
            return std::make_unique<ProcessNode>(loop, objects, metrics, directory);
        }
        case NodeChoice::Kind::kSimulated:
            return std::make_unique<SimulatedNodes>(choice.count, loop, objects, metrics);
    }
    return nullptr;
}

}  // namespace muster
