// Decides what happens to the Nodes that an earlier server with this data directory left, with another name or kind.
// Such a Node has no agent any more, so it must not get pods. Pure.
#pragma once

#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "api/kinds/core/node.h"
#include "base/instant.h"

namespace muster::node {

inline constexpr std::string_view kProcessRuntime = "muster-process://";
inline constexpr std::string_view kSimulatedRuntime = "muster-simulated://";
inline constexpr const char* kUnreachableTaint = "node.kubernetes.io/unreachable";

using NodeRef = std::shared_ptr<const api::core::Node>;

struct EarlierNodes {
    std::vector<Text> remove{};
    std::vector<Text> unreachable{};
};
// `ours` are the names of this server's Nodes, and `runs_processes` is whether one of them runs real processes. Earlier
// simulated Nodes are removed. An earlier Node with real processes is removed when this server has such a Node, which
// takes over its processes; otherwise it may come back with its processes still running, so it is only unreachable.
// Nodes that this program did not create are left alone.
EarlierNodes decide_earlier_nodes(const std::vector<NodeRef>& stored, const std::set<Text>& ours, bool runs_processes);

// As a cluster has a node that is not heard of: conditions Unknown, and a taint that keeps pods away.
api::core::Node mark_unreachable(api::core::Node node, Instant now);
// The mark goes when the node is heard of again; gives whether it was there.
bool clear_unreachable(api::core::Node& node);

// The name of the node of processes: the one that it has already, whatever the machine is called by now, since its pods
// are bound to that. The youngest, should there be several and none with the machine's name.
Text choose_node_name(const std::vector<NodeRef>& stored, const Text& machine_name);

}  // namespace muster::node
