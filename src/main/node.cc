#include "main/node.h"

#include <charconv>

#include "base/ascii.h"
#include "node/agent.h"
#include "node/earlier_nodes.h"
#include "node/inside/process_actions.h"
#include "node/keeper/keeper_client.h"
#include "node/process/process_access.h"
#include "node/process/process_pods.h"
#include "node/simulated/simulated_pods.h"
#include "node/simulated/simulated_runs.h"
#include "os/files/disk_usage.h"
#include "os/files/files.h"
#include "os/loop/thread_pool.h"
#include "os/machine/entropy.h"
#include "os/machine/machine.h"
#include "os/machine/machine_room.h"
#include "os/process/linux_processes.h"
#include "os/process/process_table.h"
#include "server/local_client.h"

namespace muster {
namespace {

using api::coordination::Lease;
using api::core::Node;

constexpr int kSimulatedMax = 20000;
constexpr const char* kOwnProgram = "/proc/self/exe";
constexpr const char* kHostAddress = "127.0.0.1";

server::User node_user(const Text& name) {
    server::User user;
    user.name = "system:node:" + name.str();
    user.groups = {"system:nodes", "system:authenticated"};
    return user;
}

// Absolute: processes have other working directories.
std::string node_directory(const std::string& data_directory) { return os::absolute_path(data_directory) + "/node"; }

// Names of objects are lower case, which names of machines need not be.
std::string machine_name() {
    const std::string name = lower(os::host_name());
    return name.empty() ? "muster" : name;
}

node::NodeDescription this_machine(const Text& name, const std::string& directory) {
    node::NodeDescription node;
    node.name = name;
    node.host_ip = kHostAddress;
    node.cpu = api::Quantity::from_int(os::processor_count());
    node.memory = api::Quantity::from_int(static_cast<std::int64_t>(os::memory_bytes() / 1024 * 1024),
                                          api::Quantity::Format::kBinarySI);
    node.ephemeral_storage = api::Quantity::from_int(static_cast<std::int64_t>(os::disk_size(directory) / 1024 * 1024),
                                                     api::Quantity::Format::kBinarySI);
    node.machine = os::machine_info();
    node.runtime = std::string(node::kProcessRuntime) + "1";
    return node;
}

Text simulated_name(int number) { return "simulated-" + std::to_string(number); }

node::NodeDescription simulated_node(int number) {
    node::NodeDescription node;
    node.name = simulated_name(number);
    node.host_ip = kHostAddress;
    node.cpu = api::Quantity::from_int(32);
    node.memory = api::Quantity::parse("256Gi").value();
    node.ephemeral_storage = api::Quantity::parse("1Ti").value();
    node.pods_max = 110;
    node.machine = os::machine_info();
    node.runtime = std::string(node::kSimulatedRuntime) + "1";
    node.labels.set("type", "simulated");
    return node;
}

class ProcessNode final : public NodeSet {
public:
    ProcessNode(os::RealLoop& loop, server::Objects& objects, client::SharedMirrors& mirrors, client::Metrics& metrics,
                const Text& name, const std::string& directory, const NodeChoice& choice, node::ApiPoint api)
        : processes_(loop),
          client_(objects, node_user(name), &mirrors),
          keeper_(loop, processes_, directory, {kOwnProgram, kNodeHelperVerb, directory}, choice.logs),
          actions_(loop, processes_, board_),
          pods_(loop, processes_, keeper_, board_, directory),
          agent_(loop, client_, metrics, make_runtime(directory, choice, std::move(api)), options(name, directory)) {
        keeper_.expect_keeper();
        agent_.start();
    }
    client::PodAccess* access() override { return agent_.runtime().access(); }

private:
    static node::AgentOptions options(const Text& name, const std::string& directory) {
        node::AgentOptions options;
        options.nodes.push_back(this_machine(name, directory));
        options.registration.room = [directory] { return os::machine_room(directory); };
        return options;
    }
    node::MakePodRuntime make_runtime(const std::string& directory, const NodeChoice& choice, node::ApiPoint api) {
        node::ProcessPodsOptions options;
        options.directory = directory;
        options.base_environment["PATH"] = choice.path;
        options.user_id = os::user_id();
        options.pod_user = choice.pod_user;
        options.processes = &processes_;
        options.worker = &disk_;
        options.api = std::move(api);
        options.actions = &actions_;
        options.access = &pods_;
        return [this, options](const node::PodHost& host) {
            return std::make_unique<node::ProcessPods>(host, board_, options);
        };
    }
    os::LinuxProcesses processes_;
    // One may be at work for long, on a large directory.
    os::ThreadPool disk_{"node disk", 2};
    server::LocalClient client_;
    node::KeeperClient keeper_;
    node::RunBoard board_{keeper_};
    node::ProcessActions actions_;
    node::ProcessAccess pods_;
    node::Agent agent_;
};

class SimulatedNodes final : public NodeSet {
public:
    SimulatedNodes(const NodeChoice& choice, os::RealLoop& loop, server::Objects& objects,
                   client::SharedMirrors& mirrors, client::Metrics& metrics)
        : client_(objects, node_user("simulated"), &mirrors),
          runs_(loop, choice.seed.value_or(os::draw_seed())),
          agent_(
              loop, client_, metrics,
              [this](const node::PodHost& host) { return std::make_unique<node::SimulatedPods>(host, runs_); },
              options(choice.count)) {
        agent_.start();
    }

private:
    static node::AgentOptions options(int count) {
        node::AgentOptions options;
        for (int i = 0; i < count; ++i) options.nodes.push_back(simulated_node(i));
        return options;
    }
    server::LocalClient client_;
    node::SimulatedRuns runs_;
    node::Agent agent_;
};

std::vector<node::NodeRef> stored_nodes(const server::Objects& objects) {
    std::vector<node::NodeRef> nodes;
    const auto listing = objects.store().list(server::list_prefix(api::kind_info<Node>(), ""));
    if (!listing.ok()) return nodes;
    for (const store::Stored& item : listing->items) {
        const auto object = std::static_pointer_cast<const server::KindObject>(item.object);
        nodes.emplace_back(object, &server::as<Node>(*object));
    }
    return nodes;
}

// Before anybody gets to place a pod there.
void clear_earlier_nodes(server::Objects& objects, const std::vector<node::NodeRef>& stored, const std::set<Text>& ours,
                         bool runs_processes) {
    const node::EarlierNodes earlier = node::decide_earlier_nodes(stored, ours, runs_processes);
    for (const Text& name : earlier.remove) {
        // What is not done here, the next start does.
        (void)objects.remove({api::kind_info<Node>(), "", name}, {}, {}).ok();
        (void)objects.remove({api::kind_info<Lease>(), "kube-node-lease", name}, {}, {}).ok();
    }
    for (const Text& name : earlier.unreachable) {
        const auto mark = [&](const server::KindObjectPtr& before) -> Result<std::shared_ptr<server::KindObject>> {
            const Node& node = server::as<Node>(*before);
            return std::shared_ptr<server::KindObject>(
                std::make_shared<server::TypedObject<Node>>(node::mark_unreachable(node, objects.now())));
        };
        (void)objects.rewrite({api::kind_info<Node>(), "", name}, mark, false).ok();
    }
}

Result<std::uint64_t> parse_seed(std::string_view digits) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
    if (error != std::errc() || end != digits.data() + digits.size()) return Error{Code::kBadRequest, "not a seed"};
    return seed;
}

}  // namespace

Result<NodeChoice> parse_node(std::string_view text) {
    constexpr std::string_view kCounted = "simulated=";
    constexpr std::string_view kSeed = ",seed=";
    NodeChoice choice;
    const Error bad{Code::kBadRequest, "--node is process, simulated, simulated=COUNT (up to " +
                                           std::to_string(kSimulatedMax) + ") or none, not \"" + std::string(text) +
                                           "\"; after simulated may stand ,seed=NUMBER"};
    if (text == "none") return choice;
    if (text == "process") {
        choice.kind = NodeChoice::Kind::kProcess;
        return choice;
    }
    choice.kind = NodeChoice::Kind::kSimulated;
    if (const std::size_t comma = text.find(kSeed); comma != std::string_view::npos) {
        const auto seed = parse_seed(text.substr(comma + kSeed.size()));
        if (!seed.ok()) return bad;
        choice.seed = *seed;
        text = text.substr(0, comma);
    }
    if (text == "simulated") return choice;
    if (text.starts_with(kCounted)) {
        const std::string_view digits = text.substr(kCounted.size());
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), choice.count);
        if (error == std::errc() && end == digits.data() + digits.size() && choice.count > 0 &&
            choice.count <= kSimulatedMax)
            return choice;
    }
    return bad;
}

Result<node::LogLimits> parse_log_limits(std::string_view size_max, int files_max) {
    node::LogLimits limits;
    const Result<api::Quantity> size = api::Quantity::parse(size_max);
    if (!size.ok() || size->value() <= 0)
        return Error{Code::kBadRequest,
                     "--container-log-max-size is a size such as 10Mi, not \"" + std::string(size_max) + '"'};
    if (files_max < 2) return Error{Code::kBadRequest, "--container-log-max-files is 2 or more"};
    limits.size_max = size->value();
    limits.files_max = files_max;
    return limits;
}

Result<std::string> parse_pod_path(std::string_view text) {
    const Error bad{Code::kBadRequest,
                    "--pod-path is a list of directories such as /usr/bin:/bin, not \"" + std::string(text) + '"'};
    std::string_view rest = text;
    do {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        if (!rest.starts_with('/')) return bad;
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    } while (!rest.empty());
    if (text.ends_with(':')) return bad;
    return std::string(text);
}

std::unique_ptr<os::Processes> start_node_helper(const NodeChoice& choice, os::RealLoop& loop,
                                                 const std::string& data_directory) {
    if (choice.kind != NodeChoice::Kind::kProcess) return nullptr;
    auto processes = std::make_unique<os::LinuxProcesses>(loop);
    const std::string directory = node_directory(data_directory);
    node::start_keeper(*processes, directory, {kOwnProgram, kNodeHelperVerb, directory});
    return processes;
}

std::unique_ptr<NodeSet> start_nodes(NodeChoice choice, os::RealLoop& loop, server::Objects& objects,
                                     client::SharedMirrors& mirrors, client::Metrics& metrics,
                                     const std::string& data_directory, node::ApiPoint api) {
    const std::vector<node::NodeRef> stored = stored_nodes(objects);
    switch (choice.kind) {
        case NodeChoice::Kind::kNone: clear_earlier_nodes(objects, stored, {}, false); break;
        case NodeChoice::Kind::kProcess: {
            const std::string directory = node_directory(data_directory);
            const Text name = node::choose_node_name(stored, machine_name());
            clear_earlier_nodes(objects, stored, {name}, true);
            return std::make_unique<ProcessNode>(loop, objects, mirrors, metrics, name, directory, choice,
                                                 std::move(api));
        }
        case NodeChoice::Kind::kSimulated: {
            std::set<Text> names;
            for (int i = 0; i < choice.count; ++i) names.insert(simulated_name(i));
            clear_earlier_nodes(objects, stored, names, false);
            return std::make_unique<SimulatedNodes>(choice, loop, objects, mirrors, metrics);
        }
    }
    return nullptr;
}

}  // namespace muster
