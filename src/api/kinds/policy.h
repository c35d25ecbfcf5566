// How many pods may be disturbed at once, and the request that disturbs one with respect to that. A budget is counted
// by its controller and spent by the eviction subresource of pods.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "api/value/int_or_string.h"
#include "api/value/time.h"

namespace muster::api::policy {

inline constexpr const char* kPackage = "io.k8s.api.policy.v1";
inline constexpr const char* kGroup = "policy";
inline constexpr const char* kVersion = "v1";

struct PodDisruptionBudgetSpec {
    TYPE(PodDisruptionBudgetSpec, "How many pods must stay. At most one of minAvailable and maxUnavailable is set.")
    FIELD(1, std::optional<IntOrString>, min_available,
          "So many pods must remain available after an eviction, as a number or a percentage. 100% forbids all.")
    FIELD(2, Box<meta::LabelSelector>, selector,
          "The pods that count. None when absent, all of the namespace when empty.")
    FIELD(3, std::optional<IntOrString>, max_unavailable,
          "So many pods may be unavailable after an eviction, as a number or a percentage. 0 forbids all.")
    FIELD(4, std::optional<Text>, unhealthy_pod_eviction_policy,
          "When a running pod that is not ready may be evicted: AlwaysAllow, or IfHealthyBudget, only while enough "
          "others are healthy. IfHealthyBudget by default.",
          .one_of = "IfHealthyBudget|AlwaysAllow")
};

struct PodDisruptionBudgetStatus {
    TYPE(PodDisruptionBudgetStatus,
         "How matters stand. Only valid while observedGeneration is the object's generation.")
    FIELD(1, std::int64_t, observed_generation, "The generation this was counted for.")
    FIELD(2, Map<Time>, disrupted_pods,
          "Pods whose eviction was granted but not yet seen to happen, with the time of the grant. They count as gone; "
          "one that stays after all is dropped again after a while.")
    FIELD(3, std::int32_t, disruptions_allowed, "How many pods may be evicted now.", .required = true)
    FIELD(4, std::int32_t, current_healthy, "How many pods are healthy.", .required = true)
    FIELD(5, std::int32_t, desired_healthy, "How many pods must stay healthy.", .required = true)
    FIELD(6, std::int32_t, expected_pods, "How many pods the budget counts.", .required = true)
    FIELD(7, List<meta::Condition>, conditions,
          "Aspects of its state. DisruptionAllowed is False for the reasons SyncFailed and InsufficientPods, True for "
          "SufficientPods.",
          .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap, .list_keys = "type")
};

struct PodDisruptionBudget {
    KIND(PodDisruptionBudget, "Limits how many of a set of pods are evicted at once.", .plural = "poddisruptionbudgets",
         .short_names = "pdb", .access = Access::kEdit, .version_required = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, PodDisruptionBudgetSpec, spec, "How many pods must stay.")
    FIELD(3, PodDisruptionBudgetStatus, status, "How matters stand. Read-only for users.")
};

struct Eviction {
    KIND(Eviction, "Asks a pod to leave its node, unless a budget forbids it. Sent to the pod's eviction subresource.")
    FIELD(1, meta::ObjectMeta, metadata, "Names the pod.")
    FIELD(2, Box<meta::DeleteOptions>, delete_options, "How to delete the pod: grace period, preconditions and so on.")
};

}  // namespace muster::api::policy
