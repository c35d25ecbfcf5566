// Workload: one piece of work that is admitted as a whole: its sets of pods, its queue and priority, and how far its
// admission has come. Controllers make it for a job, a pod or a group of pods.
#pragma once

#include "api/kinds/core/pod.h"
#include "api/kinds/kueue/pod_count.h"
#include "api/kinds/kueue/topology.h"
#include "api/kinds/meta/meta.h"
#include "api/value/quantity.h"

namespace muster::api::kueue {

struct PriorityClassRef {
    TYPE(PriorityClassRef, "Names the class that a workload's priority comes from.")
    FIELD(1, Text, group, "Group of the class.", .required = true, .one_of = "kueue.x-k8s.io|scheduling.k8s.io")
    FIELD(2, Text, kind, "WorkloadPriorityClass of kueue.x-k8s.io, or PriorityClass of scheduling.k8s.io.",
          .required = true, .one_of = "WorkloadPriorityClass|PriorityClass")
    FIELD(3, Text, name, "Name of the class.", .required = true)
};

struct PodSet {
    TYPE(PodSet, "Pods of one shape.")
    FIELD(1, Text, name, "Name of the set, unique in the workload. The name main by default.")
    FIELD(2, core::PodTemplateSpec, template_, "The pods. Of its metadata only labels and annotations may be set.",
          .json = "template", .required = true)
    FIELD(3, PodCount, count, "How many pods there are. 1 by default.", .required = true, .optional = true)
    FIELD(4, std::optional<std::int32_t>, min_count,
          "How few pods would do when there is not quota for all. Without it, all are needed. At most one set may have "
          "it.")
    FIELD(5, Box<PodSetTopologyRequest>, topology_request, "How near to each other the pods are to be.")
};

struct PreemptionGate {
    TYPE(PreemptionGate, "A gate that must be open before the workload may preempt others.")
    FIELD(1, Text, name, "Name of the gate.", .required = true)
};

struct WorkloadSpec {
    TYPE(WorkloadSpec, "What is to be admitted.")
    FIELD(1, List<PodSet>, pod_sets, "The sets of pods, 1 to 18. They cannot change while quota is reserved.",
          .required = true, .optional = true, .list = ListKind::kMap, .list_keys = "name")
    FIELD(2, Text, queue_name, "Name of the LocalQueue. It cannot change while quota is reserved.")
    FIELD(3, Box<PriorityClassRef>, priority_class_ref, "The class that priority comes from.")
    FIELD(4, std::optional<std::int32_t>, priority,
          "Higher goes first, and may preempt lower. Required with priorityClassRef.")
    FIELD(5, std::optional<bool>, active,
          "False keeps the workload from being admitted, and evicts it when it is. True by default.")
    FIELD(6, std::optional<std::int32_t>, maximum_execution_time_seconds,
          "Seconds that the workload may be admitted, over all times together, before it is deactivated. At least 1.")
    FIELD(7, List<PreemptionGate>, preemption_gates, "Who must agree before the workload may preempt others.",
          .list = ListKind::kMap, .list_keys = "name")
};

struct PodSetAssignment {
    TYPE(PodSetAssignment, "What one set of pods was admitted with.")
    FIELD(1, Text, name, "Name of the set. The name main by default.", .required = true, .optional = true)
    FIELD(2, Map<Text>, flavors, "Flavor by resource.")
    FIELD(
        3, Map<Quantity>, resource_usage,
        "What all the pods of the set need together, with overhead and the namespace's defaults. Reclaimed quota does "
        "not change it.")
    FIELD(4, std::optional<std::int32_t>, count, "How many pods were admitted. Reclaimed quota does not change it.")
    FIELD(5, Box<TopologyAssignment>, topology_assignment, "Which nodes the pods go to.")
    FIELD(6, std::optional<Text>, delayed_topology_request, "Whether the nodes are still to be chosen.",
          .one_of = "Pending|Ready")
};

struct Admission {
    TYPE(Admission, "What a workload was admitted with. It is set and unset as a whole.")
    FIELD(1, Text, cluster_queue, "Name of the ClusterQueue whose quota it uses.", .required = true, .optional = true)
    FIELD(2, List<PodSetAssignment>, pod_set_assignments, "One for each set of pods.", .required = true,
          .optional = true, .list = ListKind::kMap, .list_keys = "name")
};

struct RequeueState {
    TYPE(RequeueState, "How often a workload came back after its pods were not ready in time.")
    FIELD(1, std::optional<std::int32_t>, count, "How often it was queued again.")
    FIELD(2, std::optional<Time>, requeue_at, "When it is queued again.")
};

struct ReclaimablePod {
    TYPE(ReclaimablePod, "Pods of one set that need their quota no longer.")
    FIELD(1, Text, name, "Name of the set.", .required = true)
    FIELD(2, std::int32_t, count, "How many pods need it no longer.", .required = true)
};

struct PodSetUpdate {
    TYPE(PodSetUpdate, "What an admission check adds to the pods of a set. It may only add.")
    FIELD(1, Text, name, "Name of the set.", .required = true)
    FIELD(2, Map<Text>, labels, "Labels to add.")
    FIELD(3, Map<Text>, annotations, "Annotations to add.")
    FIELD(4, Map<Text>, node_selector, "Node labels to ask for in addition.")
    FIELD(5, List<core::Toleration>, tolerations, "Tolerations to add, at most 8.")
};

struct AdmissionCheckState {
    TYPE(AdmissionCheckState, "How far one admission check of a workload has come.")
    FIELD(1, Text, name, "Name of the AdmissionCheck.", .required = true)
    FIELD(2, Text, state,
          "Pending is not decided yet, Ready has passed, Retry gives the quota back and tries again, Rejected "
          "deactivates the workload.",
          .required = true, .one_of = "Pending|Ready|Retry|Rejected")
    FIELD(3, Time, last_transition_time, "When the state last changed.", .required = true)
    FIELD(4, Text, message, "Why, as a sentence for people. May be empty.", .required = true, .optional = true)
    FIELD(5, std::optional<std::int32_t>, requeue_after_seconds,
          "Seconds from lastTransitionTime to wait before the workload is queued again after Retry.")
    FIELD(6, std::optional<std::int32_t>, retry_count, "How often the state became Retry.")
    FIELD(7, List<PodSetUpdate>, pod_set_updates, "What the check adds to the pods.")
};

struct PodSetRequest {
    TYPE(PodSetRequest, "What one set of pods asks for.")
    FIELD(1, Text, name, "Name of the set.", .required = true)
    FIELD(2, Map<Quantity>, resources, "What all its pods need together, with overhead and the namespace's defaults.")
};

struct WorkloadSchedulingStatsEviction {
    TYPE(WorkloadSchedulingStatsEviction, "How often a workload was evicted for one reason.")
    FIELD(1, Text, reason, "The reason, as in the Evicted condition.", .required = true)
    FIELD(2, Text, underlying_cause, "What lay behind the reason. May be empty.", .required = true, .optional = true)
    FIELD(3, std::int32_t, count, "How often.", .required = true)
};

struct SchedulingStats {
    TYPE(SchedulingStats, "Figures about a workload's way through the queue.")
    FIELD(1, List<WorkloadSchedulingStatsEviction>, evictions, "Evictions by reason and cause.", .list = ListKind::kMap,
          .list_keys = "reason,underlyingCause")
};

struct UnhealthyNode {
    TYPE(UnhealthyNode, "A node that failed under a workload.")
    FIELD(1, Text, name, "Name of the node.", .required = true)
};

struct PreemptionGateState {
    TYPE(PreemptionGateState, "Where a preemption gate stands.")
    FIELD(1, Text, name, "Name of the gate.", .required = true)
    FIELD(2, Text, position, "Closed keeps the workload from preempting, Open does not.", .required = true,
          .one_of = "Closed|Open")
    FIELD(3, Time, last_transition_time, "When the position last changed.", .required = true)
};

struct WorkloadStatus {
    TYPE(WorkloadStatus, "How far a workload has come.")
    FIELD(
        1, List<meta::Condition>, conditions,
        "The workload's state: QuotaReserved, Admitted, PodsReady, Evicted, Preempted, Requeued, Finished and others.",
        .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap)
    FIELD(2, Box<Admission>, admission, "What it was admitted with. Absent while no quota is reserved.")
    FIELD(3, Box<RequeueState>, requeue_state, "How often it came back after its pods were not ready in time.")
    FIELD(4, List<ReclaimablePod>, reclaimable_pods, "Pods that need their quota no longer, by set.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(5, List<AdmissionCheckState>, admission_checks, "The checks it must pass, and how far each has come.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(6, List<PodSetRequest>, resource_requests, "What it asks for, by set, while it is not admitted.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(7, std::optional<std::int32_t>, accumulated_past_execution_time_seconds,
          "Seconds it was admitted before it was last evicted.")
    FIELD(8, Box<SchedulingStats>, scheduling_stats, "Figures about its way through the queue.")
    FIELD(9, List<Text>, nominated_cluster_names, "Clusters that are asked to run it.")
    FIELD(10, std::optional<Text>, cluster_name, "The cluster that runs it.")
    FIELD(11, List<UnhealthyNode>, unhealthy_nodes, "Nodes that failed under it and are to be replaced.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(12, List<PreemptionGateState>, preemption_gates, "Where its preemption gates stand.", .list = ListKind::kMap,
          .list_keys = "name")
};

struct Workload {
    KIND(Workload, "One piece of work that gets its quota as a whole.", .plural = "workloads",
         .short_names = "wl,kwl,kueueworkload,kueueworkloads", .access = Access::kView)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, WorkloadSpec, spec, "What is to be admitted.", .required = true, .optional = true)
    FIELD(3, WorkloadStatus, status, "How far it has come. Written by the controllers.")
};

}  // namespace muster::api::kueue
