#include "scheduler/node_rules.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::scheduler {
namespace {

using api::core::Node;
using api::core::NodeSelectorRequirement;
using api::core::NodeSelectorTerm;
using api::core::Taint;
using api::core::Toleration;

constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || code != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

bool holds(const NodeSelectorRequirement& requirement, const Text* value) {
    const Text& op = requirement.operator_;
    if (op == "Exists") return value != nullptr;
    if (op == "DoesNotExist") return value == nullptr;
    const auto& values = requirement.values;
    const bool listed = value && std::find(values.begin(), values.end(), *value) != values.end();
    if (op == "In") return listed;
    if (op == "NotIn") return !listed;
    if (!value || values.size() != 1) return false;
    const auto number = whole_number(*value);
    const auto bound = whole_number(values[0]);
    if (!number || !bound) return false;
    return op == "Gt" ? *number > *bound : op == "Lt" && *number < *bound;
}

bool tolerated(const List<Toleration>& tolerations, const Taint& taint) {
    return std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint) {
    if (!toleration.effect.empty() && !(toleration.effect == taint.effect)) return false;
    if (!toleration.key.empty() && !(toleration.key == taint.key)) return false;
    const Text& op = toleration.operator_;
    if (op == "Exists") return true;
    if (op.empty() || op == "Equal") return toleration.value == taint.value;
    const auto bound = whole_number(toleration.value);
    const auto number = whole_number(taint.value);
    if (!bound || !number) return false;
    return op == "Lt" ? *number < *bound : op == "Gt" && *number > *bound;
}

bool tolerates_hard_taints(const List<Toleration>& tolerations, const Node& node) {
    for (const Taint& taint : node.spec.taints)
        if (!(taint.effect == "PreferNoSchedule") && !tolerated(tolerations, taint)) return false;
    return true;
}

int count_soft_taints(const List<Toleration>& tolerations, const Node& node) {
    int count = 0;
    for (const Taint& taint : node.spec.taints)
        if (taint.effect == "PreferNoSchedule" && !tolerated(tolerations, taint)) ++count;
    return count;
}

bool matches_node_term(const NodeSelectorTerm& term, const Node& node) {
    if (term.match_expressions.empty() && term.match_fields.empty()) return false;
    for (const NodeSelectorRequirement& requirement : term.match_expressions)
        if (!holds(requirement, node.metadata.labels.find(requirement.key))) return false;
    for (const NodeSelectorRequirement& requirement : term.match_fields) {
        const bool known = requirement.key == "metadata.name";
        if (!holds(requirement, known ? &node.metadata.name : nullptr)) return false;
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
        if (!tolerated(shape.tolerations, cordon)) return Reason::kUnschedulable;
    }
    if (!tolerates_hard_taints(shape.tolerations, node)) return Reason::kTaint;
    if (!matches_node_affinity(shape, node)) return Reason::kNodeAffinity;
    return Reason::kNone;
}

}  // namespace muster::scheduler
