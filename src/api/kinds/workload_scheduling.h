// How a Job's pods are scheduled together: parts of scheduling.k8s.io that a Job refers to. The feature is off.
#pragma once

#include "api/schema/declare.h"

namespace muster::api::workload_scheduling {

inline constexpr const char* kPackage = "io.k8s.api.scheduling.v1alpha3";

struct WorkloadPodGroupBasicSchedulingPolicy {
    TYPE(WorkloadPodGroupBasicSchedulingPolicy, "Pods are scheduled one by one.")
};

struct WorkloadPodGroupGangSchedulingPolicy {
    TYPE(WorkloadPodGroupGangSchedulingPolicy, "Pods are scheduled together.")
    FIELD(1, std::optional<std::int32_t>, min_count, "The least number of pods to schedule together.")
};

struct WorkloadPodGroupSchedulingPolicy {
    TYPE(WorkloadPodGroupSchedulingPolicy, "Whether pods are scheduled together. Exactly one of the fields is set.")
    FIELD(1, Box<WorkloadPodGroupBasicSchedulingPolicy>, basic, "One by one.")
    FIELD(2, Box<WorkloadPodGroupGangSchedulingPolicy>, gang, "Together.")
};

struct TopologyConstraint {
    TYPE(TopologyConstraint, "Places pods together.")
    FIELD(1, Text, key, "Label of nodes whose value all pods must share.", .required = true)
};

struct WorkloadPodGroupSchedulingConstraints {
    TYPE(WorkloadPodGroupSchedulingConstraints, "Where pods are placed.")
    FIELD(1, List<TopologyConstraint>, topology, "Which labels of nodes the pods must share.")
};

struct WorkloadPodGroupSingleDisruptionMode {
    TYPE(WorkloadPodGroupSingleDisruptionMode, "Each pod may be disrupted alone.")
};

struct WorkloadPodGroupAllDisruptionMode {
    TYPE(WorkloadPodGroupAllDisruptionMode, "All pods are disrupted together.")
};

struct WorkloadPodGroupDisruptionMode {
    TYPE(WorkloadPodGroupDisruptionMode, "Whether pods are disrupted together. Exactly one of the fields is set.")
    FIELD(1, Box<WorkloadPodGroupSingleDisruptionMode>, single, "Each alone.")
    FIELD(2, Box<WorkloadPodGroupAllDisruptionMode>, all, "All together.")
};

struct WorkloadPodGroupResourceClaim {
    TYPE(WorkloadPodGroupResourceClaim, "A claim that the pods share.")
    FIELD(1, Text, name, "Name of the claim in the group.", .required = true)
    FIELD(2, std::optional<Text>, resource_claim_name, "The ResourceClaim. Not with resourceClaimTemplateName.")
    FIELD(3, std::optional<Text>, resource_claim_template_name, "What the ResourceClaim is made from.")
};

}  // namespace muster::api::workload_scheduling
