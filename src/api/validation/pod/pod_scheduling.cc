// Rules of tolerations, spreading over topologies, and scheduling gates.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

void check_toleration_value(const core::Toleration& toleration, const FieldPath& path, FieldErrors& errors) {
    const FieldPath at = path.child("operator");
    if (toleration.operator_.empty() || toleration.operator_ == "Equal") {
        std::string all;
        for (const std::string& problem : is_label_value(toleration.value))
            all.append(all.empty() ? "" : ";").append(problem);
        if (!all.empty()) errors.add_invalid(at, toleration.value, all);
    } else if (toleration.operator_ == "Exists") {
        if (!toleration.value.empty())
            errors.add_invalid(at, toleration.value, "value must be empty when `operator` is 'Exists'");
    } else if (is_one_of(toleration.operator_, {"Lt", "Gt"})) {
        errors.add_not_supported(at, toleration.operator_, {"Equal", "Exists", "Lt", "Gt"});
    } else {
        errors.add_not_supported(at, toleration.operator_, {"Equal", "Exists"});
    }
}

void check_inclusion_policy(const std::optional<Text>& policy, const FieldPath& path, FieldErrors& errors) {
    if (policy && !is_one_of(*policy, {"Honor", "Ignore"}))
        errors.add_not_supported(path, *policy, {"Honor", "Ignore"});
}

void check_spread(const List<core::TopologySpreadConstraint>& constraints, std::size_t index, const FieldPath& path,
                  FieldErrors& errors) {
    const core::TopologySpreadConstraint& constraint = constraints[index];
    if (constraint.max_skew <= 0)
        errors.add_invalid(path.child("maxSkew"), constraint.max_skew, "must be greater than zero");
    if (constraint.topology_key.empty()) errors.add_required(path.child("topologyKey"), "can not be empty");
    if (!is_one_of(constraint.when_unsatisfiable, {"DoNotSchedule", "ScheduleAnyway"}))
        errors.add_not_supported(path.child("whenUnsatisfiable"), constraint.when_unsatisfiable,
                                 {"DoNotSchedule", "ScheduleAnyway"});
    if (std::any_of(constraints.begin() + index + 1, constraints.end(), [&](const auto& later) {
            return later.topology_key == constraint.topology_key &&
                   later.when_unsatisfiable == constraint.when_unsatisfiable;
        }))
        errors.add_duplicate(path.child("{topologyKey, whenUnsatisfiable}"),
                             "{" + constraint.topology_key.str() + ", " + constraint.when_unsatisfiable.str() + "}");
    if (constraint.min_domains) {
        const FieldPath at = path.child("minDomains");
        if (*constraint.min_domains <= 0) errors.add_invalid(at, *constraint.min_domains, "must be greater than zero");
        if (!(constraint.when_unsatisfiable == "DoNotSchedule"))
            errors.add_invalid(at, *constraint.min_domains,
                               "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                                   constraint.when_unsatisfiable.str());
    }
    check_inclusion_policy(constraint.node_affinity_policy, path.child("nodeAffinityPolicy"), errors);
    check_inclusion_policy(constraint.node_taints_policy, path.child("nodeTaintsPolicy"), errors);
    check_match_label_keys(constraint.match_label_keys, {}, constraint.label_selector, path, errors);
    if (constraint.label_selector)
        check_label_selector(*constraint.label_selector, path.child("labelSelector"), errors);
}

}  // namespace

void check_tolerations(const List<core::Toleration>& tolerations, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
        const core::Toleration& toleration = tolerations[i];
        const FieldPath at = path.index(i);
        if (!toleration.key.empty())
            errors.add_problems(at.child("key"), toleration.key, is_qualified_name(toleration.key));
        if (toleration.key.empty() && !(toleration.operator_ == "Exists"))
            errors.add_invalid(at.child("operator"), toleration.operator_,
                               "operator must be Exists when `key` is empty, which means \"match all values and all "
                               "keys\"");
        if (toleration.toleration_seconds && !(toleration.effect == "NoExecute"))
            errors.add_invalid(at.child("effect"), toleration.effect,
                               "effect must be 'NoExecute' when `tolerationSeconds` is set");
        check_toleration_value(toleration, at, errors);
        if (!toleration.effect.empty() &&
            !is_one_of(toleration.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}))
            errors.add_not_supported(at.child("effect"), toleration.effect,
                                     {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
}

void check_topology_spread(const List<core::TopologySpreadConstraint>& constraints, const FieldPath& path,
                           FieldErrors& errors) {
    for (std::size_t i = 0; i < constraints.size(); ++i) check_spread(constraints, i, path.index(i), errors);
}

void check_scheduling_gates(const List<core::PodSchedulingGate>& gates, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < gates.size(); ++i) {
        errors.add_problems(path.index(i), gates[i].name, is_qualified_name(gates[i].name));
        if (std::find(gates.begin(), gates.begin() + i, gates[i]) != gates.begin() + i)
            errors.add_duplicate(path.index(i), gates[i].name);
    }
}

}  // namespace muster::api
