#include "api/quota/scopes.h"

#include <algorithm>

#include "api/defaults/pod_resources.h"
#include "api/registry/kind_column.h"

namespace muster::api {
namespace {

using core::PersistentVolumeClaim;
using core::Pod;
using core::PodAffinityTerm;
using core::ScopedResourceSelectorRequirement;

bool reaches_other_namespaces(const PodAffinityTerm& term) {
    return !term.namespaces.empty() || static_cast<bool>(term.namespace_selector);
}

template <class Affinity>
bool reaches_other_namespaces(const Box<Affinity>& affinity) {
    if (!affinity) return false;
    for (const PodAffinityTerm& term : affinity->required_during_scheduling_ignored_during_execution)
        if (reaches_other_namespaces(term)) return true;
    for (const core::WeightedPodAffinityTerm& term : affinity->preferred_during_scheduling_ignored_during_execution)
        if (reaches_other_namespaces(term.pod_affinity_term)) return true;
    return false;
}

bool has_deadline(const Pod& pod) { return pod.spec.active_deadline_seconds.value_or(-1) >= 0; }

// Whether the names that an object refers to, of which it may have none, meet the demand.
bool meets(const ScopedResourceSelectorRequirement& demand, const std::vector<std::string_view>& names) {
    const auto is_listed = [&](std::string_view name) {
        return std::any_of(demand.values.begin(), demand.values.end(), [&](const Text& one) { return one == name; });
    };
    if (demand.operator_ == "Exists") return !names.empty();
    if (demand.operator_ == "DoesNotExist") return names.empty();
    if (demand.operator_ == "In") return std::any_of(names.begin(), names.end(), is_listed);
    return names.empty() || std::any_of(names.begin(), names.end(), [&](auto name) { return !is_listed(name); });
}

bool is_in_scope(const ScopedResourceSelectorRequirement& demand, const Pod& pod) {
    const std::string_view scope = demand.scope_name;
    if (scope == "Terminating") return has_deadline(pod);
    if (scope == "NotTerminating") return !has_deadline(pod);
    if (scope == "BestEffort") return qos_class(pod.spec) == QosClass::kBestEffort;
    if (scope == "NotBestEffort") return qos_class(pod.spec) != QosClass::kBestEffort;
    if (scope == "PriorityClass") {
        std::vector<std::string_view> names;
        if (!pod.spec.priority_class_name.empty()) names.push_back(pod.spec.priority_class_name.view());
        return meets(demand, names);
    }
    if (scope != "CrossNamespacePodAffinity" || !pod.spec.affinity) return false;
    return reaches_other_namespaces(pod.spec.affinity->pod_affinity) ||
           reaches_other_namespaces(pod.spec.affinity->pod_anti_affinity);
}

bool is_in_scope(const ScopedResourceSelectorRequirement& demand, const PersistentVolumeClaim& claim) {
    if (!(demand.scope_name == "VolumeAttributesClass")) return false;
    std::vector<std::string_view> names;
    if (claim.spec.volume_attributes_class_name) names.push_back(claim.spec.volume_attributes_class_name->view());
    return meets(demand, names);
}

bool is_in(const ScopedResourceSelectorRequirement& demand, const KindInfo& kind, const void* object) {
    using IsIn = bool (*)(const ScopedResourceSelectorRequirement& demand, const void* object);
    static const KindColumn<IsIn> column(KindList<Pod, PersistentVolumeClaim>{}, []<class K>() -> IsIn {
        return [](const ScopedResourceSelectorRequirement& asked, const void* one) {
            return is_in_scope(asked, *static_cast<const K*>(one));
        };
    });
    const IsIn* scoped = column.find(kind);
    return scoped && (*scoped)(demand, object);
}

}  // namespace

bool is_in_scopes(const core::ResourceQuotaSpec& spec, const KindInfo& kind, const void* object) {
    for (const Text& scope : spec.scopes) {
        ScopedResourceSelectorRequirement demand;
        demand.scope_name = scope;
        demand.operator_ = "Exists";
        if (!is_in(demand, kind, object)) return false;
    }
    if (!spec.scope_selector) return true;
    const auto& demands = spec.scope_selector->match_expressions;
    return std::all_of(demands.begin(), demands.end(), [&](const auto& demand) { return is_in(demand, kind, object); });
}

}  // namespace muster::api
