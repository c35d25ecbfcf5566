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

template <class... A, class... B>
KindList<A..., B...> join(KindList<A...>, KindList<B...>);
template <class A, class B>
using Joined = decltype(join(A{}, B{}));

// Stored objects, by group.
using StoredKinds = KindList<core::ConfigMap, core::Event, core::LimitRange, core::Namespace, core::Node,
                             core::PersistentVolume, core::PersistentVolumeClaim, core::Pod, core::PodTemplate,
                             core::ResourceQuota, core::Secret, core::Service, core::ServiceAccount,  //
                             batch::CronJob, batch::Job,                                              //
                             coordination::Lease,                                                     //
                             discovery::EndpointSlice,                                                //
                             kueue::AdmissionCheck, kueue::ClusterQueue, kueue::Cohort, kueue::LocalQueue,
                             kueue::ResourceFlavor, kueue::Workload, kueue::WorkloadPriorityClass,        //
                             policy::PodDisruptionBudget,                                                 //
                             runtime::RuntimeClass,                                                       //
                             rbac::ClusterRole, rbac::ClusterRoleBinding, rbac::Role, rbac::RoleBinding,  //
                             scheduling::PriorityClass>;

// The same objects in another form or an older version: converted on the way in and out.
using ViewKinds = KindList<events::Event,  //
                           kueue::v1beta1::AdmissionCheck, kueue::v1beta1::ClusterQueue, kueue::v1beta1::Cohort,
                           kueue::v1beta1::LocalQueue, kueue::v1beta1::ResourceFlavor, kueue::v1beta1::Workload,
                           kueue::v1beta1::WorkloadPriorityClass>;

// Questions that are answered and never stored.
using QuestionKinds = KindList<core::Binding,                                                   //
                               authentication::SelfSubjectReview, authentication::TokenReview,  //
                               authorization::LocalSubjectAccessReview, authorization::SelfSubjectAccessReview,
                               authorization::SelfSubjectRulesReview, authorization::SubjectAccessReview>;

// Bodies of requests and answers.
using BodyKinds =
    KindList<authentication::TokenRequest, policy::Eviction,  //
             meta::Status, meta::DeleteOptions, meta::PartialObjectMetadata, meta::Table, meta::ListOptions,
             meta::GetOptions, meta::CreateOptions, meta::PatchOptions, meta::UpdateOptions,  //
             meta::APIVersions, meta::APIGroup, meta::APIGroupList, meta::APIResourceList,    //
             apidiscovery::v2::APIGroupDiscovery, apidiscovery::v2::APIGroupDiscoveryList,
             apidiscovery::v2beta1::APIGroupDiscovery, apidiscovery::v2beta1::APIGroupDiscoveryList>;

using ServedKinds = Joined<Joined<StoredKinds, ViewKinds>, QuestionKinds>;
using AllKinds = Joined<ServedKinds, BodyKinds>;

// Calls f.template operator()<K>() for every kind of a list: for_each_kind<StoredKinds>([&]<class K>() { … });
template <class Kinds, class F>
void for_each_kind(F f) {
    [&]<class... K>(KindList<K...>) { (f.template operator()<K>(), ...); }(Kinds{});
}
template <class F>
void for_each_kind(F f) {
    for_each_kind<AllKinds>(std::move(f));
}

}  // namespace muster::api
