// Rules between a pod and a node that other pods have no part in: node selectors, node affinity, taints, ports of the
// machine. The scheduler asks, and the node before it takes a pod. Pure.
#pragma once

#include <functional>
#include <vector>

#include "api/kinds/core/affinity.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"

namespace muster::api {

bool matches_node_term(const core::NodeSelectorTerm& term, const core::Node& node);
// Both nodeSelector and what node affinity requires. `affinity` may be null.
bool matches_node_affinity(const Map<Text>& node_selector, const core::Affinity* affinity, const core::Node& node);

// The first taint of one of the node's effects that no toleration covers; null when there is none.
const core::Taint* find_untolerated(const List<core::Toleration>& tolerations, const core::Node& node,
                                    const std::function<bool(const Text& effect)>& counts);

struct HostPort {
    Text ip;  // empty: all addresses
    Text protocol;
    std::int32_t port = 0;
    bool conflicts_with(const HostPort& other) const;
    bool operator==(const HostPort&) const = default;
};
std::vector<HostPort> host_ports_of(const core::PodSpec& spec);
bool any_conflict(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken);

}  // namespace muster::api
