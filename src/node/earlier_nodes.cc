#include "node/earlier_nodes.h"

#include <algorithm>

#include "api/kinds/conditions.h"

namespace muster::node {
namespace {

using api::core::Node;
using api::core::Taint;

bool has_runtime(const Node& node, std::string_view runtime) {
    return node.status.node_info.container_runtime_version.view().starts_with(runtime);
}

}  // namespace

EarlierNodes decide_earlier_nodes(const std::vector<NodeRef>& stored, const std::set<Text>& ours, bool runs_processes) {
    EarlierNodes earlier;
    for (const NodeRef& node : stored) {
        if (ours.contains(node->metadata.name)) continue;
        const bool of_processes = has_runtime(*node, kProcessRuntime);
        if (has_runtime(*node, kSimulatedRuntime) || (of_processes && runs_processes))
            earlier.remove.push_back(node->metadata.name);
        else if (of_processes)
            earlier.unreachable.push_back(node->metadata.name);
    }
    return earlier;
}

Node mark_unreachable(Node node, Instant now) {
    const api::Time at = api::Time::from_instant(now);
    auto& conditions = node.status.conditions;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        api::set_condition(conditions,
                           {conditions[i].type, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."},
                           at);
    clear_unreachable(node);
    Taint taint;
    taint.key = kUnreachableTaint;
    taint.effect = "NoSchedule";
    taint.time_added = at;
    node.spec.taints.edit().push_back(std::move(taint));
    return node;
}

bool clear_unreachable(Node& node) {
    const auto is_mark = [](const Taint& taint) { return taint.key == kUnreachableTaint; };
    if (std::none_of(node.spec.taints.begin(), node.spec.taints.end(), is_mark)) return false;
    auto& taints = node.spec.taints.edit();
    taints.erase(std::remove_if(taints.begin(), taints.end(), is_mark), taints.end());
    return true;
}

Text choose_node_name(const std::vector<NodeRef>& stored, const Text& machine_name) {
    const Node* chosen = nullptr;
    for (const NodeRef& node : stored) {
        if (!has_runtime(*node, kProcessRuntime)) continue;
        if (node->metadata.name == machine_name) return machine_name;
        if (!chosen || chosen->metadata.creation_timestamp < node->metadata.creation_timestamp) chosen = node.get();
    }
    return chosen ? chosen->metadata.name : machine_name;
}

}  // namespace muster::node
