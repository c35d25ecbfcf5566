#include "scheduler/terms.h"

#include <algorithm>

namespace muster::scheduler {
namespace {

using api::LabelSelector;
using api::core::Pod;
using api::core::PodAffinityTerm;

// What cannot be compiled was refused when the pod was created; should it come all the same, it selects nothing.
LabelSelector selector_of(const Box<api::meta::LabelSelector>& selector) {
    auto compiled = LabelSelector::from(selector.get());
    return compiled.ok() ? *std::move(compiled) : LabelSelector::nothing();
}

void add_label_keys(LabelSelector& selector, const List<Text>& keys, LabelSelector::Op op, const Pod& pod) {
    if (selector.is_nothing()) return;
    for (const Text& key : keys)
        if (const Text* value = pod.metadata.labels.find(key)) (void)selector.add(key, op, std::span(value, 1));
}

PodTerm compile_term(const PodAffinityTerm& term, const Pod& pod, std::int64_t weight) {
    PodTerm compiled;
    compiled.selector = selector_of(term.label_selector);
    add_label_keys(compiled.selector, term.match_label_keys, LabelSelector::Op::kIn, pod);
    add_label_keys(compiled.selector, term.mismatch_label_keys, LabelSelector::Op::kNotIn, pod);
    compiled.namespaces.assign(term.namespaces.begin(), term.namespaces.end());
    if (term.namespace_selector) compiled.namespace_selector = selector_of(term.namespace_selector);
    if (term.namespaces.empty() && !term.namespace_selector) compiled.namespaces.push_back(pod.metadata.namespace_);
    compiled.topology_key = term.topology_key;
    compiled.weight = weight;
    return compiled;
}

bool any_matches(const std::vector<PodTerm>& terms, const Pod& other, const NamespaceLabels& known) {
    return std::any_of(terms.begin(), terms.end(), [&](const PodTerm& term) { return term.matches(other, known); });
}

}  // namespace

bool PodTerm::matches(const Pod& other, const NamespaceLabels& known) const {
    const Text& in = other.metadata.namespace_;
    bool inside = std::find(namespaces.begin(), namespaces.end(), in) != namespaces.end();
    if (!inside && !namespace_selector.is_nothing()) {
        const auto labels = known.find(in);
        inside = namespace_selector.matches(labels == known.end() ? Map<Text>() : labels->second);
    }
    return inside && selector.matches(other.metadata.labels);
}

bool PodTerms::concern(const Pod& other, const NamespaceLabels& known) const {
    return any_matches(anti_affinity, other, known) || any_matches(affinity, other, known) ||
           any_matches(wishes, other, known);
}

PodTerms compile_pod_terms(const PodShape& shape, const Pod& pod) {
    PodTerms terms;
    if (!shape.affinity) return terms;
    if (const auto& near = shape.affinity->pod_affinity) {
        for (const auto& term : near->required_during_scheduling_ignored_during_execution)
            terms.affinity.push_back(compile_term(term, pod, 0));
        for (const auto& wish : near->preferred_during_scheduling_ignored_during_execution)
            terms.wishes.push_back(compile_term(wish.pod_affinity_term, pod, wish.weight));
    }
    if (const auto& apart = shape.affinity->pod_anti_affinity) {
        for (const auto& term : apart->required_during_scheduling_ignored_during_execution)
            terms.anti_affinity.push_back(compile_term(term, pod, 0));
        for (const auto& wish : apart->preferred_during_scheduling_ignored_during_execution)
            terms.wishes.push_back(compile_term(wish.pod_affinity_term, pod, -std::int64_t{wish.weight}));
    }
    return terms;
}

std::string label_key_values(const PodShape& shape, const Pod& pod) {
    std::string values;
    const auto add = [&](const List<Text>& keys) {
        for (const Text& key : keys) {
            const Text* value = pod.metadata.labels.find(key);
            values.append(1, '\n').append(value ? "=" + value->str() : "");
        }
    };
    for (const auto& constraint : shape.spread) add(constraint.match_label_keys);
    const auto add_term = [&](const PodAffinityTerm& term) {
        add(term.match_label_keys);
        add(term.mismatch_label_keys);
    };
    const auto add_side = [&](const auto& side) {
        if (!side) return;
        for (const auto& term : side->required_during_scheduling_ignored_during_execution) add_term(term);
        for (const auto& wish : side->preferred_during_scheduling_ignored_during_execution)
            add_term(wish.pod_affinity_term);
    };
    if (shape.affinity) {
        add_side(shape.affinity->pod_affinity);
        add_side(shape.affinity->pod_anti_affinity);
    }
    return values;
}

LabelSelector spread_selector(const api::core::TopologySpreadConstraint& constraint, const Pod& pod) {
    LabelSelector selector = selector_of(constraint.label_selector);
    add_label_keys(selector, constraint.match_label_keys, LabelSelector::Op::kIn, pod);
    return selector;
}

}  // namespace muster::scheduler
