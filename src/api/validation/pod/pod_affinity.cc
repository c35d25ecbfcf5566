// Rules of affinity: terms for nodes and for neighbours, their weights and their label keys.
#include <algorithm>
#include <set>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

void check_weight(std::int32_t weight, const FieldPath& path, FieldErrors& errors) {
    if (weight < 1 || weight > 100) errors.add_invalid(path, weight, "must be in the range 1-100");
}

void check_label_test(const core::NodeSelectorRequirement& test, bool values_matter, const FieldPath& path,
                      FieldErrors& errors) {
    const FieldPath values = path.child("values");
    if (is_one_of(test.operator_, {"In", "NotIn"})) {
        if (test.values.empty()) errors.add_required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (is_one_of(test.operator_, {"Exists", "DoesNotExist"})) {
        if (!test.values.empty())
            errors.add_forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (is_one_of(test.operator_, {"Gt", "Lt"})) {
        if (test.values.size() != 1)
            errors.add_required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else {
        errors.add_invalid(path.child("operator"), test.operator_, "not a valid selector operator");
    }
    errors.add_problems(path.child("key"), test.key, is_qualified_name(test.key));
    // A wish for an impossible label is harmless, and always was allowed.
    if (!values_matter) return;
    for (std::size_t i = 0; i < test.values.size(); ++i)
        errors.add_problems(values.index(i), test.values[i], is_label_value(test.values[i]));
}

void check_field_test(const core::NodeSelectorRequirement& test, const FieldPath& path, FieldErrors& errors) {
    if (!is_one_of(test.operator_, {"In", "NotIn"})) {
        errors.add_invalid(path.child("operator"), test.operator_, "not a valid selector operator");
    } else if (test.values.size() != 1) {
        errors.add_required(path.child("values"),
                            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
    if (!(test.key == "metadata.name"))
        return errors.add_invalid(path.child("key"), test.key, "not a valid field selector key");
    for (std::size_t i = 0; i < test.values.size(); ++i)
        errors.add_problems(path.child("values").index(i), test.values[i], is_dns1123_subdomain(test.values[i]));
}

void check_node_term(const core::NodeSelectorTerm& term, bool values_matter, const FieldPath& path,
                     FieldErrors& errors) {
    for (std::size_t i = 0; i < term.match_expressions.size(); ++i)
        check_label_test(term.match_expressions[i], values_matter, path.child("matchExpressions").index(i), errors);
    for (std::size_t i = 0; i < term.match_fields.size(); ++i)
        check_field_test(term.match_fields[i], path.child("matchFields").index(i), errors);
}

void check_node_affinity(const core::NodeAffinity& affinity, const FieldPath& path, FieldErrors& errors) {
    if (affinity.required_during_scheduling_ignored_during_execution) {
        const auto& terms = affinity.required_during_scheduling_ignored_during_execution->node_selector_terms;
        const FieldPath at = path.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
        if (terms.empty()) errors.add_required(at, "must have at least one node selector term");
        for (std::size_t i = 0; i < terms.size(); ++i) check_node_term(terms[i], true, at.index(i), errors);
    }
    const auto& wishes = affinity.preferred_during_scheduling_ignored_during_execution;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const FieldPath at = path.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
        check_weight(wishes[i].weight, at.child("weight"), errors);
        check_node_term(wishes[i].preference, false, at.child("preference"), errors);
    }
}

void check_pod_term(const core::PodAffinityTerm& term, const FieldPath& path, FieldErrors& errors) {
    if (term.label_selector) check_label_selector(*term.label_selector, path.child("labelSelector"), errors);
    if (term.namespace_selector)
        check_label_selector(*term.namespace_selector, path.child("namespaceSelector"), errors);
    for (const Text& name : term.namespaces) errors.add_problems(path.child("namespace"), name, is_dns1123_label(name));
    check_match_label_keys(term.match_label_keys, term.mismatch_label_keys, term.label_selector, path, errors);
    if (term.topology_key.empty()) errors.add_required(path.child("topologyKey"), "can not be empty");
    errors.add_problems(path.child("topologyKey"), term.topology_key, is_qualified_name(term.topology_key));
}

template <class PodRules>
void check_pod_rules(const PodRules& rules, const FieldPath& path, FieldErrors& errors) {
    const auto& terms = rules.required_during_scheduling_ignored_during_execution;
    for (std::size_t i = 0; i < terms.size(); ++i)
        check_pod_term(terms[i], path.child("requiredDuringSchedulingIgnoredDuringExecution").index(i), errors);
    const auto& wishes = rules.preferred_during_scheduling_ignored_during_execution;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const FieldPath at = path.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
        check_weight(wishes[i].weight, at.child("weight"), errors);
        check_pod_term(wishes[i].pod_affinity_term, at.child("podAffinityTerm"), errors);
    }
}

void check_label_keys(const List<Text>& keys, bool has_selector, const FieldPath& path, FieldErrors& errors) {
    if (keys.empty()) return;
    if (!has_selector) return errors.add_forbidden(path, "must not be specified when labelSelector is not set");
    for (std::size_t i = 0; i < keys.size(); ++i)
        errors.add_problems(path.index(i), keys[i], is_qualified_name(keys[i]));
}

}  // namespace

void check_match_label_keys(const List<Text>& match, const List<Text>& mismatch,
                            const Box<meta::LabelSelector>& selector, const FieldPath& path, FieldErrors& errors) {
    if (match.empty() && mismatch.empty()) return;
    check_label_keys(match, static_cast<bool>(selector), path.child("matchLabelKeys"), errors);
    check_label_keys(mismatch, static_cast<bool>(selector), path.child("mismatchLabelKeys"), errors);
    if (selector) {
        // On create the keys were merged into the selector: a key that is there twice was in both from the start.
        std::set<std::string_view> seen;
        for (const auto& [key, value] : selector->match_labels) seen.insert(key);
        for (const meta::LabelSelectorRequirement& demand : selector->match_expressions) {
            const Text* found = std::find(match.begin(), match.end(), demand.key);
            if (!seen.insert(demand.key).second && found != match.end())
                errors.add_invalid(path.index(static_cast<std::size_t>(found - match.begin())), demand.key,
                                   "exists in both matchLabelKeys and labelSelector");
        }
    }
    for (std::size_t i = 0; i < match.size(); ++i)
        if (std::find(mismatch.begin(), mismatch.end(), match[i]) != mismatch.end())
            errors.add_invalid(path.child("matchLabelKeys").index(i), match[i],
                               "exists in both matchLabelKeys and mismatchLabelKeys");
}

void check_affinity(const core::Affinity& affinity, const FieldPath& path, FieldErrors& errors) {
    if (affinity.node_affinity) check_node_affinity(*affinity.node_affinity, path.child("nodeAffinity"), errors);
    if (affinity.pod_affinity) check_pod_rules(*affinity.pod_affinity, path.child("podAffinity"), errors);
    if (affinity.pod_anti_affinity) check_pod_rules(*affinity.pod_anti_affinity, path.child("podAntiAffinity"), errors);
}

}  // namespace muster::api
