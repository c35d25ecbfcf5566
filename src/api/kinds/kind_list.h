// The C++ types of all kinds, for code that is compiled once per kind. It includes every declaration; code that only
// needs names and tables includes all.h.
#pragma once

#include "api/kinds/api_resources.h"
#include "api/kinds/apidiscovery.h"
#include "api/kinds/authentication.h"
#include "api/kinds/authorization.h"
#include "api/kinds/batch.h"
#include "api/kinds/coordination.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/event.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/quota.h"
#include "api/kinds/core/service.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/core/storage/persistent_volume.h"
#include "api/kinds/discovery.h"
#include "api/kinds/events.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/kueue/v1beta1.h"
#include "api/kinds/meta/meta.h"
#include "api/kinds/meta/options.h"
#include "api/kinds/meta/status.h"
#include "api/kinds/meta/table.h"
#include "api/kinds/policy.h"
#include "api/kinds/rbac.h"
#include "api/kinds/runtime.h"
#include "api/kinds/scheduling.h"

namespace muster::api {

template <class... K>
struct KindList {};

using AllKinds = KindList<
    // Stored objects, by group.
    core::ConfigMap, core::Event, core::LimitRange, core::Namespace, core::Node, core::PersistentVolume,
    core::PersistentVolumeClaim, core::Pod, core::PodTemplate, core::ResourceQuota, core::Secret, core::Service,
    core::ServiceAccount,        //
    batch::CronJob, batch::Job,  //
    coordination::Lease,         //
    discovery::EndpointSlice,    //
    events::Event,               //
    kueue::AdmissionCheck, kueue::ClusterQueue, kueue::Cohort, kueue::LocalQueue, kueue::ResourceFlavor,
    kueue::Workload, kueue::WorkloadPriorityClass,                               //
    policy::PodDisruptionBudget,                                                 //
    runtime::RuntimeClass,                                                       //
    rbac::ClusterRole, rbac::ClusterRoleBinding, rbac::Role, rbac::RoleBinding,  //
    scheduling::PriorityClass,                                                   //
    // The same objects in an older version: converted on the way in and out.
    kueue::v1beta1::AdmissionCheck, kueue::v1beta1::ClusterQueue, kueue::v1beta1::Cohort, kueue::v1beta1::LocalQueue,
    kueue::v1beta1::ResourceFlavor, kueue::v1beta1::Workload, kueue::v1beta1::WorkloadPriorityClass,  //
    // Questions that are answered and never stored.
    authentication::SelfSubjectReview, authentication::TokenReview,  //
    authorization::LocalSubjectAccessReview, authorization::SelfSubjectAccessReview,
    authorization::SelfSubjectRulesReview, authorization::SubjectAccessReview,  //
    // Bodies of requests and answers.
    authentication::TokenRequest, core::Binding, policy::Eviction,  //
    meta::Status, meta::DeleteOptions, meta::PartialObjectMetadata, meta::Table, meta::ListOptions, meta::GetOptions,
    meta::CreateOptions, meta::PatchOptions, meta::UpdateOptions,                  //
    meta::APIVersions, meta::APIGroup, meta::APIGroupList, meta::APIResourceList,  //
    apidiscovery::v2::APIGroupDiscovery, apidiscovery::v2::APIGroupDiscoveryList,
    apidiscovery::v2beta1::APIGroupDiscovery, apidiscovery::v2beta1::APIGroupDiscoveryList>;

// Calls f.template operator()<K>() for every kind: for_each_kind([&]<class K>() { … });
template <class F>
void for_each_kind(F f) {
    [&]<class... K>(KindList<K...>) { (f.template operator()<K>(), ...); }(AllKinds{});
}

}  // namespace muster::api
