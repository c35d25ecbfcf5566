#include "server/table/print.h"

#include "api/registry/kind_column.h"

namespace muster::server {
namespace {

using api::KindInfo;
namespace k = api;

constexpr Column kDefaultColumns[] = {kNameColumn, {"Created At", "date", "When the object was created."}};
// TableWriter fills in the metadata.
constexpr Printer kMetadataPrinter{kDefaultColumns, nullptr};

template <class K>
concept OfQueueing = std::string_view(K::kKindGroup)
== k::kueue::kGroup;

// The printer of each kind.
template <class K>
Printer printer_for() = delete;
template <OfQueueing K>
Printer printer_for() {
    return queue_printer<K>();
}
template <>
Printer printer_for<k::core::Pod>() {
    return pod_printer();
}
template <>
Printer printer_for<k::core::PodTemplate>() {
    return pod_template_printer();
}
template <>
Printer printer_for<k::batch::Job>() {
    return job_printer();
}
template <>
Printer printer_for<k::batch::CronJob>() {
    return cron_job_printer();
}
template <>
Printer printer_for<k::core::Node>() {
    return node_printer();
}
template <>
Printer printer_for<k::core::Namespace>() {
    return namespace_printer();
}
template <>
Printer printer_for<k::core::Service>() {
    return service_printer();
}
template <>
Printer printer_for<k::discovery::EndpointSlice>() {
    return endpoint_slice_printer();
}
template <>
Printer printer_for<k::core::ConfigMap>() {
    return config_map_printer();
}
template <>
Printer printer_for<k::core::Secret>() {
    return secret_printer();
}
template <>
Printer printer_for<k::core::ServiceAccount>() {
    return service_account_printer();
}
template <>
Printer printer_for<k::core::Event>() {
    return core_event_printer();
}
template <>
Printer printer_for<k::events::Event>() {
    return event_printer();
}
template <>
Printer printer_for<k::coordination::Lease>() {
    return lease_printer();
}
template <>
Printer printer_for<k::scheduling::PriorityClass>() {
    return priority_class_printer();
}
template <>
Printer printer_for<k::runtime::RuntimeClass>() {
    return runtime_class_printer();
}
template <>
Printer printer_for<k::policy::PodDisruptionBudget>() {
    return disruption_budget_printer();
}
template <>
Printer printer_for<k::core::ResourceQuota>() {
    return resource_quota_printer();
}
template <>
Printer printer_for<k::core::PersistentVolume>() {
    return persistent_volume_printer();
}
template <>
Printer printer_for<k::core::PersistentVolumeClaim>() {
    return persistent_volume_claim_printer();
}
template <>
Printer printer_for<k::rbac::RoleBinding>() {
    return role_binding_printer();
}
template <>
Printer printer_for<k::rbac::ClusterRoleBinding>() {
    return cluster_role_binding_printer();
}
template <>
Printer printer_for<k::core::LimitRange>() {
    return kMetadataPrinter;
}
template <>
Printer printer_for<k::rbac::Role>() {
    return kMetadataPrinter;
}
template <>
Printer printer_for<k::rbac::ClusterRole>() {
    return kMetadataPrinter;
}

}  // namespace

const Printer& printer_of(const KindInfo& kind) {
    static const api::KindColumn<Printer> column(k::Joined<k::StoredKinds, k::ViewKinds>{},
                                                 []<class K>() { return printer_for<K>(); });
    const Printer* printer = column.find(kind);
    return printer ? *printer : kMetadataPrinter;
}

}  // namespace muster::server
