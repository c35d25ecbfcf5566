// Rules between a pod and a node that other pods have no part in: cordons, taints, node selectors and node affinity.
// They hold for all pods of a shape alike, for as long as the node stays as it is.
#pragma once

#include "api/kinds/core/node.h"
#include "scheduler/shape.h"
#include "scheduler/why.h"

namespace muster::scheduler {

// Every taint with one of these effects is tolerated.
bool tolerates_hard_taints(const List<api::core::Toleration>& tolerations, const api::core::Node& node);
// How many taints would rather keep it away.
int count_soft_taints(const List<api::core::Toleration>& tolerations, const api::core::Node& node);

// Both nodeSelector and what node affinity requires.
bool matches_node_affinity(const PodShape& shape, const api::core::Node& node);
// The sum of the weights of the wishes that the node fulfils.
std::int64_t node_preference(const PodShape& shape, const api::core::Node& node);

// The first rule that keeps the pod off the node, or kNone.
Reason check_node_rules(const PodShape& shape, const api::core::Node& node);

}  // namespace muster::scheduler
