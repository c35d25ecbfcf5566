// What runs pods inside `muster up`: a node of processes, simulated nodes, or none.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/metrics.h"
#include "os/real_loop.h"
#include "server/objects/objects.h"
#include "server/rest/pod_log.h"

namespace muster {

struct NodeChoice {
    enum class Kind { kNone, kProcess, kSimulated } kind = Kind::kNone;
    int count = 1;
};
// "none", "process", "simulated", "simulated=100". Fails with kBadRequest and a sentence.
Result<NodeChoice> parse_node(std::string_view text);

// The argument with which this program becomes the keeper of a node's processes (node/keeper.h).
inline constexpr const char* kNodeHelperVerb = "node-helper";

class NodeSet {
public:
    virtual ~NodeSet() = default;
    // Null where pods leave no logs.
    virtual server::OpenLog open_log(const os::Loop& loop) const = 0;
};
// All must outlive it; destroying it stops the agent and leaves what runs alone. Null for kNone.
std::unique_ptr<NodeSet> start_nodes(NodeChoice choice, os::RealLoop& loop, server::Objects& objects,
                                     client::Metrics& metrics, const std::string& data_directory);

}  // namespace muster
