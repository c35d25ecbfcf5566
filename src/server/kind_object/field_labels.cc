#include "server/kind_object/field_labels.h"

#include <map>
#include <type_traits>

#include "api/registry/kind_column.h"

namespace muster::server {
namespace {

using api::KindInfo;

using Value = std::string (*)(const void* object);
using FieldLabels = std::map<std::string_view, Value>;

template <class K, class Get>
Value label(Get) {
    return [](const void* object) { return std::string(Get{}(*static_cast<const K*>(object))); };
}

const char* text_of(bool value) { return value ? "true" : "false"; }

FieldLabels pod_labels() {
    using api::core::Pod;
    return {
        {"spec.nodeName", label<Pod>([](const Pod& pod) { return pod.spec.node_name.view(); })},
        {"spec.restartPolicy", label<Pod>([](const Pod& pod) { return pod.spec.restart_policy.view(); })},
        {"spec.schedulerName", label<Pod>([](const Pod& pod) { return pod.spec.scheduler_name.view(); })},
        {"spec.serviceAccountName", label<Pod>([](const Pod& pod) { return pod.spec.service_account_name.view(); })},
        {"spec.hostNetwork", label<Pod>([](const Pod& pod) { return text_of(pod.spec.host_network); })},
        {"status.phase", label<Pod>([](const Pod& pod) { return pod.status.phase.view(); })},
        {"status.podIP", label<Pod>([](const Pod& pod) {
             return pod.status.pod_ips.empty() ? std::string_view() : pod.status.pod_ips[0].ip.view();
         })},
        {"status.podIPs", label<Pod>([](const Pod& pod) {
             return pod.status.pod_ips.empty() ? std::string_view() : pod.status.pod_ips[0].ip.view();
         })},
        {"status.nominatedNodeName", label<Pod>([](const Pod& pod) { return pod.status.nominated_node_name.view(); })},
    };
}

FieldLabels core_event_labels() {
    using api::core::Event;
    return {
        {"involvedObject.kind", label<Event>([](const Event& event) { return event.involved_object.kind.view(); })},
        {"involvedObject.namespace",
         label<Event>([](const Event& event) { return event.involved_object.namespace_.view(); })},
        {"involvedObject.name", label<Event>([](const Event& event) { return event.involved_object.name.view(); })},
        {"involvedObject.uid", label<Event>([](const Event& event) { return event.involved_object.uid.view(); })},
        {"involvedObject.apiVersion",
         label<Event>([](const Event& event) { return event.involved_object.api_version.view(); })},
        {"involvedObject.resourceVersion",
         label<Event>([](const Event& event) { return event.involved_object.resource_version.view(); })},
        {"involvedObject.fieldPath",
         label<Event>([](const Event& event) { return event.involved_object.field_path.view(); })},
        {"reason", label<Event>([](const Event& event) { return event.reason.view(); })},
        {"reportingComponent", label<Event>([](const Event& event) { return event.reporting_component.view(); })},
        {"source", label<Event>([](const Event& event) {
             return event.source.component.empty() ? event.reporting_component.view() : event.source.component.view();
         })},
        {"type", label<Event>([](const Event& event) { return event.type.view(); })},
    };
}

FieldLabels new_event_labels() {
    using api::events::Event;
    return {
        {"regarding.kind", label<Event>([](const Event& event) { return event.regarding.kind.view(); })},
        {"regarding.namespace", label<Event>([](const Event& event) { return event.regarding.namespace_.view(); })},
        {"regarding.name", label<Event>([](const Event& event) { return event.regarding.name.view(); })},
        {"regarding.uid", label<Event>([](const Event& event) { return event.regarding.uid.view(); })},
        {"regarding.apiVersion", label<Event>([](const Event& event) { return event.regarding.api_version.view(); })},
        {"regarding.resourceVersion",
         label<Event>([](const Event& event) { return event.regarding.resource_version.view(); })},
        {"regarding.fieldPath", label<Event>([](const Event& event) { return event.regarding.field_path.view(); })},
        {"reason", label<Event>([](const Event& event) { return event.reason.view(); })},
        {"reportingController", label<Event>([](const Event& event) { return event.reporting_controller.view(); })},
        {"type", label<Event>([](const Event& event) { return event.type.view(); })},
    };
}

template <class Workload>
FieldLabels workload_labels() {
    return {{"status.admission.clusterQueue", label<Workload>([](const Workload& workload) {
                 return workload.status.admission ? workload.status.admission->cluster_queue.view()
                                                  : std::string_view();
             })}};
}

// The kinds whose objects can be selected by metadata.name and metadata.namespace alone, as in Kubernetes.
using WithoutFieldLabels =
    api::KindList<api::core::ConfigMap, api::core::LimitRange, api::core::PersistentVolume,
                  api::core::PersistentVolumeClaim, api::core::PodTemplate, api::core::ResourceQuota,
                  api::core::ServiceAccount,                                                                         //
                  api::batch::CronJob,                                                                               //
                  api::coordination::Lease,                                                                          //
                  api::discovery::EndpointSlice,                                                                     //
                  api::kueue::AdmissionCheck, api::kueue::ClusterQueue, api::kueue::Cohort, api::kueue::LocalQueue,  //
                  api::kueue::ResourceFlavor, api::kueue::WorkloadPriorityClass,                                     //
                  api::kueue::v1beta1::AdmissionCheck, api::kueue::v1beta1::ClusterQueue, api::kueue::v1beta1::Cohort,
                  api::kueue::v1beta1::LocalQueue, api::kueue::v1beta1::ResourceFlavor,
                  api::kueue::v1beta1::WorkloadPriorityClass,                                                      //
                  api::policy::PodDisruptionBudget,                                                                //
                  api::runtime::RuntimeClass,                                                                      //
                  api::rbac::ClusterRole, api::rbac::ClusterRoleBinding, api::rbac::Role, api::rbac::RoleBinding,  //
                  api::scheduling::PriorityClass>;

template <class K, class... Listed>
constexpr bool is_listed(api::KindList<Listed...>) {
    return (std::is_same_v<K, Listed> || ...);
}

// The fields of each kind beside metadata.name and metadata.namespace. A kind without them is listed above.
template <class K>
FieldLabels labels_of_kind() {
    static_assert(is_listed<K>(WithoutFieldLabels{}), "say which fields of this kind can be selected by");
    return {};
}
template <>
FieldLabels labels_of_kind<api::core::Pod>() {
    return pod_labels();
}
template <>
FieldLabels labels_of_kind<api::core::Event>() {
    return core_event_labels();
}
template <>
FieldLabels labels_of_kind<api::events::Event>() {
    return new_event_labels();
}
template <>
FieldLabels labels_of_kind<api::kueue::Workload>() {
    return workload_labels<api::kueue::Workload>();
}
template <>
FieldLabels labels_of_kind<api::kueue::v1beta1::Workload>() {
    return workload_labels<api::kueue::v1beta1::Workload>();
}
template <>
FieldLabels labels_of_kind<api::batch::Job>() {
    using api::batch::Job;
    return {{"status.successful", label<Job>([](const Job& job) { return std::to_string(job.status.succeeded); })}};
}
template <>
FieldLabels labels_of_kind<api::core::Node>() {
    using api::core::Node;
    return {{"spec.unschedulable", label<Node>([](const Node& node) { return text_of(node.spec.unschedulable); })}};
}
template <>
FieldLabels labels_of_kind<api::core::Namespace>() {
    using api::core::Namespace;
    return {{"status.phase", label<Namespace>([](const Namespace& space) { return space.status.phase.view(); })},
            {"name", label<Namespace>([](const Namespace& space) { return space.metadata.name.view(); })}};
}
template <>
FieldLabels labels_of_kind<api::core::Secret>() {
    using api::core::Secret;
    return {{"type", label<Secret>([](const Secret& secret) { return secret.type.view(); })}};
}
template <>
FieldLabels labels_of_kind<api::core::Service>() {
    using api::core::Service;
    return {{"spec.clusterIP", label<Service>([](const Service& service) { return service.spec.cluster_ip.view(); })},
            {"spec.type", label<Service>([](const Service& service) { return service.spec.type.view(); })}};
}

// Null for a kind without fields of its own.
const FieldLabels* labels_of(const KindInfo& kind) {
    static const api::KindColumn<FieldLabels> column(api::Joined<api::StoredKinds, api::ViewKinds>{},
                                                     []<class K>() { return labels_of_kind<K>(); });
    const FieldLabels* labels = column.find(kind);
    return labels && !labels->empty() ? labels : nullptr;
}

}  // namespace

Result<> check_field_labels(const KindInfo& kind, const api::FieldSelector& selector) {
    const FieldLabels* labels = labels_of(kind);
    for (const api::FieldSelector::Term& term : selector.terms()) {
        if (term.field == "metadata.name" || (term.field == "metadata.namespace" && kind.options.namespaced)) continue;
        if (labels && labels->contains(term.field)) continue;
        if (labels) return Error{Code::kBadRequest, "field label not supported: " + term.field};
        return Error{
            Code::kBadRequest,
            "\"" + term.field + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""};
    }
    return {};
}

bool matches_fields(const KindObject& object, const api::FieldSelector& selector) {
    if (selector.is_everything()) return true;
    const FieldLabels* labels = labels_of(object.kind());
    return selector.matches([&](std::string_view field) -> std::string {
        if (field == "metadata.name") return object.metadata().name.str();
        if (field == "metadata.namespace") return object.metadata().namespace_.str();
        const auto found = labels ? labels->find(field) : FieldLabels::const_iterator();
        return labels && found != labels->end() ? found->second(object.data()) : std::string();
    });
}

}  // namespace muster::server
