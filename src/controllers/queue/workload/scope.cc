#include "controllers/queue/workload/scope.h"

#include "controllers/owners.h"

namespace muster::controllers {
namespace {

constexpr int kOwnersMax = 10;
constexpr const char* kNamespaceNameLabel = "kubernetes.io/metadata.name";

bool matches_namespace(const api::LabelSelector& selector, std::string_view name, const Map<Text>* labels) {
    if (selector.is_everything()) return true;
    Map<Text> all = labels ? *labels : Map<Text>();
    if (!all.contains(kNamespaceNameLabel)) all.set(kNamespaceNameLabel, Text(name));
    return selector.matches(all);
}

}  // namespace

bool is_system_namespace(std::string_view name) { return name == "kube-system" || name == "kueue-system"; }

bool covers_namespace(const QueueConfiguration& configuration, std::string_view name, const Map<Text>* labels) {
    return !is_system_namespace(name) && matches_namespace(configuration.managed_jobs_namespace_selector, name, labels);
}

bool covers_pod(const QueueConfiguration& configuration, std::string_view namespace_, const Map<Text>* namespace_labels,
                const Map<Text>& labels) {
    return configuration.pods && covers_namespace(configuration, namespace_, namespace_labels) &&
           matches_namespace(configuration.pod_namespace_selector, namespace_, namespace_labels) &&
           configuration.pod_selector.matches(labels);
}

bool has_managed_owner(const api::meta::ObjectMeta& metadata, const FindOwner& find) {
    const api::meta::ObjectMeta* at = &metadata;
    for (int step = 0; step < kOwnersMax; ++step) {
        const api::meta::OwnerReference* reference = controller_of(*at);
        if (!reference) return false;
        const std::optional<Owner> owner = find(metadata.namespace_, *reference);
        if (!owner || !owner->metadata || !(owner->metadata->uid == reference->uid)) return false;
        if (owner->managed) return true;
        at = owner->metadata;
    }
    return false;
}

}  // namespace muster::controllers
