#include "controllers/deletable_kinds.h"

#include "api/kinds/kind_list.h"

namespace muster::controllers {
namespace {

template <class... K>
std::vector<const api::KindInfo*> kinds_of() {
    return {&api::kind_info<K>()...};
}

}  // namespace

std::vector<const api::KindInfo*> owning_kinds() {
    using namespace api;
    return kinds_of<core::Pod, core::ConfigMap, core::LimitRange, core::Namespace, core::Node, core::PersistentVolume,
                    core::PersistentVolumeClaim, core::PodTemplate, core::ResourceQuota, core::Secret, core::Service,
                    core::ServiceAccount, batch::CronJob, batch::Job, coordination::Lease, discovery::EndpointSlice,
                    kueue::AdmissionCheck, kueue::ClusterQueue, kueue::Cohort, kueue::LocalQueue, kueue::ResourceFlavor,
                    kueue::Workload, kueue::WorkloadPriorityClass, policy::PodDisruptionBudget, rbac::ClusterRole,
                    rbac::ClusterRoleBinding, rbac::Role, rbac::RoleBinding, runtime::RuntimeClass,
                    scheduling::PriorityClass>();
}

std::vector<const api::KindInfo*> namespaced_kinds() {
    std::vector<const api::KindInfo*> kinds;
    for (const api::KindInfo* kind : owning_kinds())
        if (kind->options.namespaced) kinds.push_back(kind);
    kinds.push_back(&api::kind_info<api::core::Event>());
    return kinds;
}

}  // namespace muster::controllers
