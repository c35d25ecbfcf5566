#include "api/placement/node_rules.h"

#include <algorithm>

#include "api/selector/node_match.h"

namespace muster::api {
namespace {

using core::Container;
using core::Node;
using core::NodeSelectorRequirement;
using core::NodeSelectorTerm;

bool is_any_address(const Text& ip) { return ip.empty() || ip == "0.0.0.0" || ip == "::"; }

void add_host_ports(const Container& container, std::vector<HostPort>& ports) {
    for (const auto& port : container.ports) {
        if (port.host_port <= 0) continue;
        const Text ip = is_any_address(port.host_ip) ? Text() : port.host_ip;
        ports.push_back({ip, port.protocol.empty() ? Text("TCP") : port.protocol, port.host_port});
    }
}

}  // namespace

bool matches_node_term(const NodeSelectorTerm& term, const Node& node) {
    if (term.match_expressions.empty() && term.match_fields.empty()) return false;
    for (const NodeSelectorRequirement& requirement : term.match_expressions)
        if (!meets_requirement(requirement, node.metadata.labels.find(requirement.key))) return false;
    for (const NodeSelectorRequirement& requirement : term.match_fields) {
        const bool known = requirement.key == "metadata.name";
        if (!meets_requirement(requirement, known ? &node.metadata.name : nullptr)) return false;
    }
    return true;
}

bool matches_node_affinity(const Map<Text>& node_selector, const core::Affinity* affinity, const Node& node) {
    for (const auto& [key, value] : node_selector) {
        const Text* label = node.metadata.labels.find(key);
        if (!label || !(*label == value)) return false;
    }
    if (!affinity || !affinity->node_affinity) return true;
    const auto& required = affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    if (!required) return true;
    const auto& terms = required->node_selector_terms;
    return std::any_of(terms.begin(), terms.end(),
                       [&](const NodeSelectorTerm& term) { return matches_node_term(term, node); });
}

const core::Taint* find_untolerated(const List<core::Toleration>& tolerations, const Node& node,
                                    const std::function<bool(const Text& effect)>& counts) {
    for (const core::Taint& taint : node.spec.taints)
        if (counts(taint.effect) && !is_tolerated(tolerations, taint)) return &taint;
    return nullptr;
}

bool HostPort::conflicts_with(const HostPort& other) const {
    if (port != other.port || !(protocol == other.protocol)) return false;
    return ip.empty() || other.ip.empty() || ip == other.ip;
}

std::vector<HostPort> host_ports_of(const core::PodSpec& spec) {
    std::vector<HostPort> ports;
    for (const Container& container : spec.containers) add_host_ports(container, ports);
    // Init containers that are no sidecars are over when the others begin.
    for (const Container& container : spec.init_containers)
        if (container.restart_policy && *container.restart_policy == "Always") add_host_ports(container, ports);
    return ports;
}

bool any_conflict(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken) {
    for (const HostPort& port : wanted)
        for (const HostPort& other : taken)
            if (port.conflicts_with(other)) return true;
    return false;
}

}  // namespace muster::api
