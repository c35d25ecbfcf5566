#include "server/table/print.h"

#include "api/kinds/kind_list.h"

namespace muster::server {
namespace {

using api::kind_info;
using api::KindInfo;

constexpr Column kDefaultColumns[] = {kNameColumn, {"Created At", "date", "When the object was created."}};

Printers make_printers() {
    namespace k = api;
    Printers printers = {
        {&kind_info<k::core::Pod>(), pod_printer()},
        {&kind_info<k::core::PodTemplate>(), pod_template_printer()},
        {&kind_info<k::batch::Job>(), job_printer()},
        {&kind_info<k::batch::CronJob>(), cron_job_printer()},
        {&kind_info<k::core::Node>(), node_printer()},
        {&kind_info<k::core::Namespace>(), namespace_printer()},
        {&kind_info<k::core::Service>(), service_printer()},
        {&kind_info<k::discovery::EndpointSlice>(), endpoint_slice_printer()},
        {&kind_info<k::core::ConfigMap>(), config_map_printer()},
        {&kind_info<k::core::Secret>(), secret_printer()},
        {&kind_info<k::core::ServiceAccount>(), service_account_printer()},
        {&kind_info<k::core::Event>(), core_event_printer()},
        {&kind_info<k::events::Event>(), event_printer()},
        {&kind_info<k::coordination::Lease>(), lease_printer()},
        {&kind_info<k::scheduling::PriorityClass>(), priority_class_printer()},
        {&kind_info<k::runtime::RuntimeClass>(), runtime_class_printer()},
        {&kind_info<k::policy::PodDisruptionBudget>(), disruption_budget_printer()},
        {&kind_info<k::core::ResourceQuota>(), resource_quota_printer()},
        {&kind_info<k::core::PersistentVolume>(), persistent_volume_printer()},
        {&kind_info<k::core::PersistentVolumeClaim>(), persistent_volume_claim_printer()},
        {&kind_info<k::rbac::RoleBinding>(), role_binding_printer()},
        {&kind_info<k::rbac::ClusterRoleBinding>(), cluster_role_binding_printer()},
    };
    add_queue_printers(printers);
    return printers;
}

}  // namespace

const Printer& printer_of(const KindInfo& kind) {
    static const Printers printers = make_printers();
    // What a kind without a printer shows is its metadata, which TableWriter fills in.
    static const Printer other{kDefaultColumns, nullptr};
    const auto found = printers.find(&kind);
    return found == printers.end() ? other : found->second;
}

}  // namespace muster::server
