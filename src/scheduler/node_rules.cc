#include "scheduler/node_rules.h"

#include <algorithm>

#include "api/selector/node_match.h"

namespace muster::scheduler {
namespace {

using api::core::Node;
using api::core::Taint;
using api::core::Toleration;

constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

}  // namespace

bool tolerates_hard_taints(const List<Toleration>& tolerations, const Node& node) {
    return !api::find_untolerated(tolerations, node,
                                  [](const Text& effect) { return !(effect == "PreferNoSchedule"); });
}

int count_soft_taints(const List<Toleration>& tolerations, const Node& node) {
    int count = 0;
    for (const Taint& taint : node.spec.taints)
        if (taint.effect == "PreferNoSchedule" && !api::is_tolerated(tolerations, taint)) ++count;
    return count;
}

bool matches_node_affinity(const PodShape& shape, const Node& node) {
    return api::matches_node_affinity(shape.node_selector, shape.affinity ? &*shape.affinity : nullptr, node);
}

std::int64_t node_preference(const PodShape& shape, const Node& node) {
    if (!shape.affinity || !shape.affinity->node_affinity) return 0;
    std::int64_t sum = 0;
    for (const auto& wish : shape.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution)
        if (api::matches_node_term(wish.preference, node)) sum += wish.weight;
    return sum;
}

Reason check_node_rules(const PodShape& shape, const Node& node) {
    if (node.spec.unschedulable) {
        Taint cordon;
        cordon.key = kUnschedulableTaint;
        cordon.effect = "NoSchedule";
        if (!api::is_tolerated(shape.tolerations, cordon)) return Reason::kUnschedulable;
    }
    if (!tolerates_hard_taints(shape.tolerations, node)) return Reason::kTaint;
    if (!matches_node_affinity(shape, node)) return Reason::kNodeAffinity;
    return Reason::kNone;
}

}  // namespace muster::scheduler
