// What runs pods inside `muster up`: a node of processes, simulated nodes, or none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/metrics.h"
#include "client/mirror_source.h"
#include "client/pods/pod_access.h"
#include "node/identity/pod_user.h"
#include "node/logs/log_file.h"
#include "node/network/api_point.h"
#include "os/loop/real_loop.h"
#include "os/process/process.h"
#include "server/objects/objects.h"

namespace muster {

struct NodeChoice {
    enum class Kind { kNone, kProcess, kSimulated } kind = Kind::kNone;
    int count = 1;
    std::optional<std::uint64_t> seed{};      // of simulated nodes; drawn when it is not given
    node::LogLimits logs{};                   // of processes
    std::string path{};                       // their PATH
    std::optional<node::PodUser> pod_user{};  // the user of processes, when it is not the server's user
};
// "none", "process", "simulated", "simulated=100", "simulated=100,seed=7". Fails with kBadRequest and a sentence.
Result<NodeChoice> parse_node(std::string_view text);
// "10Mi" and "5", as a kubelet takes them.
Result<node::LogLimits> parse_log_limits(std::string_view size_max, int files_max);
// "/usr/bin:/bin": directories from the root.
Result<std::string> parse_pod_path(std::string_view text);

// The argument with which this program becomes the keeper of a node's processes (node/keeper/keeper.h).
inline constexpr const char* kNodeHelperVerb = "node-helper";

class NodeSet {
public:
    virtual ~NodeSet() = default;
    // Null where pods have nothing to reach. Lives as long as this.
    virtual client::PodAccess* access() { return nullptr; }
};
// Starts what keeps a node's processes (node/keeper/keeper.h) ahead of start_nodes, which finds it there: it takes as
// long to start as a store takes to open. Gives what looks after it; null when the choice has none.
std::unique_ptr<os::Processes> start_node_helper(const NodeChoice& choice, os::RealLoop& loop,
                                                 const std::string& data_directory);
// All must outlive it; destroying it stops the agent and leaves what runs alone. Null for kNone. To be called after
// start_node_helper.
std::unique_ptr<NodeSet> start_nodes(NodeChoice choice, os::RealLoop& loop, server::Objects& objects,
                                     client::SharedMirrors& mirrors, client::Metrics& metrics,
                                     const std::string& data_directory, node::ApiPoint api);

}  // namespace muster
