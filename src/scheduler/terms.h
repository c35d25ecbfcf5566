// A pod's rules about other pods, ready to be asked. Pods alike in shape, namespace and the labels that the rules refer
// to have one set, so that a thousand pods that keep away from each other are one rule and the places where it holds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/selector/label_selector.h"
#include "scheduler/shape.h"

namespace muster::scheduler {

using NamespaceLabels = std::map<Text, Map<Text>>;

struct PodTerm {
    api::LabelSelector selector;
    std::vector<Text> namespaces;
    api::LabelSelector namespace_selector = api::LabelSelector::nothing();
    Text topology_key;
    std::int64_t weight = 0;  // of a wish; below zero when it is to keep away
    bool matches(const api::core::Pod& other, const NamespaceLabels& known) const;
};

struct PodTerms {
    std::vector<PodTerm> affinity;
    std::vector<PodTerm> anti_affinity;
    std::vector<PodTerm> wishes;
    // Pods of this set weigh on the pod when it looks for a place.
    bool concern(const api::core::Pod& other, const NamespaceLabels& known) const;
};

PodTerms compile_pod_terms(const PodShape& shape, const api::core::Pod& pod);

// The values of the pod's labels that matchLabelKeys and mismatchLabelKeys name, which selectors are made from.
std::string label_key_values(const PodShape& shape, const api::core::Pod& pod);

// A constraint's selector with what matchLabelKeys adds. Nothing when it is not a valid one.
api::LabelSelector spread_selector(const api::core::TopologySpreadConstraint& constraint, const api::core::Pod& pod);

}  // namespace muster::scheduler
