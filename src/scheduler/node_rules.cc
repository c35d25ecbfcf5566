#include "scheduler/node_rules.h"

#include <algorithm>

#include "api/selector/node_match.h"

namespace muster::scheduler {
namespace {

using api::core::Node;
using api::core::NodeSelectorRequirement;
using api::core::NodeSelectorTerm;
using api::core::Taint;
using api::core::Toleration;

constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

}  // namespace

bool tolerates_hard_taints(const List<Toleration>& tolerations, const Node& node) {
    for (const Taint& taint : node.spec.taints)
        if (!(taint.effect == "PreferNoSchedule") && !api::is_tolerated(tolerations, taint)) return false;
    return true;
}

int count_soft_taints(const List<Toleration>& tolerations, const Node& node) {
    int count = 0;
    for (const Taint& taint : node.spec.taints)
        if (taint.effect == "PreferNoSchedule" && !api::is_tolerated(tolerations, taint)) ++count;
    return count;
}

bool matches_node_term(const NodeSelectorTerm& term, const Node& node) {
    if (term.match_expressions.empty() && term.match_fields.empty()) return false;
    for (const NodeSelectorRequirement& requirement : term.match_expressions)
        if (!api::meets_requirement(requirement, node.metadata.labels.find(requirement.key))) return false;
    for (const NodeSelectorRequirement& requirement : term.match_fields) {
        const bool known = requirement.key == "metadata.name";
        if (!api::meets_requirement(requirement, known ? &node.metadata.name : nullptr)) return false;
    }
    return true;
}

bool matches_node_affinity(const PodShape& shape, const Node& node) {
    for (const auto& [key, value] : shape.node_selector) {
        const Text* label = node.metadata.labels.find(key);
        if (!label || !(*label == value)) return false;
    }
    if (!shape.affinity || !shape.affinity->node_affinity) return true;
    const auto& required = shape.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    if (!required) return true;
    const auto& terms = required->node_selector_terms;
    return std::any_of(terms.begin(), terms.end(),
                       [&](const NodeSelectorTerm& term) { return matches_node_term(term, node); });
}

std::int64_t node_preference(const PodShape& shape, const Node& node) {
    if (!shape.affinity || !shape.affinity->node_affinity) return 0;
    std::int64_t sum = 0;
    for (const auto& wish : shape.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution)
        if (matches_node_term(wish.preference, node)) sum += wish.weight;
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
