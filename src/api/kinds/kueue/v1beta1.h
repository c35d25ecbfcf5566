// The queueing kinds in the version before, kueue.x-k8s.io/v1beta1. Nothing is stored in it: what is written comes in
// through to_stored() of v1beta1_conversion.h, and what is read goes out through from_stored(). Only what differs from
// v1beta2 is declared here.
#pragma once

#include "api/kinds/kueue/kueue.h"

namespace muster::api::kueue::v1beta1 {

inline constexpr const char* kPackage = "io.x-k8s.kueue.v1beta1";
inline constexpr const char* kVersion = "v1beta1";

// Of the same shape in both versions.
struct ResourceFlavor : kueue::ResourceFlavor {
    static constexpr const char* kKindVersion = kVersion;
};
struct WorkloadPriorityClass : kueue::WorkloadPriorityClass {
    static constexpr const char* kKindVersion = kVersion;
};
struct Cohort : kueue::Cohort {
    static constexpr const char* kKindVersion = kVersion;
};

struct AdmissionCheckSpec {
    TYPE(AdmissionCheckSpec, "Who decides, and by what parameters.")
    FIELD(1, Text, controller_name, "The controller that decides. Never empty, and it can never change.",
          .required = true)
    FIELD(2, std::optional<std::int64_t>, retry_delay_minutes, "No longer used, and not kept.")
    FIELD(3, Box<AdmissionCheckParametersReference>, parameters, "An object with parameters for the controller.")
};

struct AdmissionCheck {
    KIND(AdmissionCheck, "Something beside quota that must agree before a workload starts.",
         .plural = "admissionchecks", .namespaced = false, .short_names = "ac")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, AdmissionCheckSpec, spec, "Who decides.")
    FIELD(3, AdmissionCheckStatus, status, "Whether it can be made. Written by its controller.")
};

struct FlavorFungibility {
    TYPE(FlavorFungibility, "Whether to try the next flavor before borrowing or preempting in the present one.")
    FIELD(1, Text, when_can_borrow,
          "MayStopSearch, or Borrow, takes a flavor in which the workload fits by borrowing, TryNextFlavor looks "
          "further. MayStopSearch by default.",
          .one_of = "MayStopSearch|TryNextFlavor|Borrow")
    FIELD(2, Text, when_can_preempt,
          "MayStopSearch, or Preempt, takes a flavor in which the workload fits by preempting, TryNextFlavor looks "
          "further. TryNextFlavor by default.",
          .one_of = "MayStopSearch|TryNextFlavor|Preempt")
    FIELD(3, std::optional<Text>, preference,
          "Which to prefer when no flavor fits without either. Only when both of the others are TryNextFlavor.",
          .one_of = "BorrowingOverPreemption|PreemptionOverBorrowing")
};

struct ClusterQueueSpec {
    TYPE(ClusterQueueSpec, "The quota, and the rules by which workloads get it.")
    FIELD(1, List<ResourceGroup>, resource_groups, "The quota, by groups of resources. At most 16 groups.")
    FIELD(2, Text, cohort, "Name of the cohort. Queues of one cohort may borrow what the others do not use.")
    FIELD(3, Text, queueing_strategy,
          "StrictFIFO lets a workload that does not fit hold up those behind it, BestEffortFIFO lets those that fit "
          "pass. BestEffortFIFO by default.",
          .one_of = "StrictFIFO|BestEffortFIFO")
    FIELD(4, Box<meta::LabelSelector>, namespace_selector,
          "Namespaces whose workloads may come here. Absent means none, empty means all.")
    FIELD(5, Box<FlavorFungibility>, flavor_fungibility,
          "Whether to try the next flavor before borrowing or preempting in the present one.")
    FIELD(6, Box<ClusterQueuePreemption>, preemption, "Which workloads make room for others.")
    FIELD(7, List<Text>, admission_checks, "Checks that every workload must pass. Not with admissionChecksStrategy.")
    FIELD(8, Box<AdmissionChecksStrategy>, admission_checks_strategy, "Which checks a workload must pass.")
    FIELD(9, std::optional<Text>, stop_policy,
          "None, or a stop: Hold gives out no more quota, HoldAndDrain evicts the admitted workloads as well. None by "
          "default.",
          .one_of = "None|Hold|HoldAndDrain")
    FIELD(10, Box<FairSharing>, fair_sharing, "Weight in its cohort, when fair sharing is on.")
    FIELD(11, Box<AdmissionScope>, admission_scope, "Whether its local queues share it by what they have used.")
};

struct ClusterQueue {
    KIND(ClusterQueue, "Quota for a part of the cluster's work, and the rules by which workloads get it.",
         .plural = "clusterqueues", .namespaced = false, .short_names = "cq")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, ClusterQueueSpec, spec, "The quota and the rules.")
    FIELD(3, ClusterQueueStatus, status, "What waits and what is in use. Written by the controller.")
};

struct LocalQueueStatus {
    TYPE(LocalQueueStatus, "What waits in the queue, and what its workloads use.")
    FIELD(1, List<meta::Condition>, conditions, "The queue's state. Active says whether its workloads can be admitted.",
          .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap)
    FIELD(2, std::int32_t, pending_workloads, "How many workloads wait for quota.", .required = true, .optional = true)
    FIELD(3, std::int32_t, reserving_workloads, "How many workloads have reserved quota and not finished.",
          .required = true, .optional = true)
    FIELD(4, std::int32_t, admitted_workloads, "How many workloads are admitted and not finished.", .required = true,
          .optional = true)
    FIELD(5, List<LocalQueueFlavorUsage>, flavors_reservation, "Quota that its workloads have reserved, by flavor.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(6, List<LocalQueueFlavorUsage>, flavor_usage, "Quota that its admitted workloads use, by flavor.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(7, Box<LocalQueueFairSharingStatus>, fair_sharing, "Its share, when sharing by usage is on.")
};

struct LocalQueue {
    KIND(LocalQueue, "The queue of one namespace. Its workloads get quota from a ClusterQueue.",
         .plural = "localqueues", .short_names = "queue,queues,lq")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, LocalQueueSpec, spec, "Where its workloads go.")
    FIELD(3, LocalQueueStatus, status, "What waits and what is in use. Written by the controller.")
};

struct WorkloadSpec {
    TYPE(WorkloadSpec, "What is to be admitted.")
    FIELD(1, List<PodSet>, pod_sets, "The sets of pods, 1 to 18. They cannot change while quota is reserved.",
          .required = true, .optional = true, .list = ListKind::kMap, .list_keys = "name")
    FIELD(2, Text, queue_name, "Name of the LocalQueue. It cannot change while quota is reserved.")
    FIELD(3, Text, priority_class_name, "Name of the class that priority comes from.")
    FIELD(4, std::optional<std::int32_t>, priority,
          "Higher goes first, and may preempt lower. Required with priorityClassName.")
    FIELD(5, Text, priority_class_source, "Which kind of class priorityClassName names. Empty when it names none.",
          .one_of = "kueue.x-k8s.io/workloadpriorityclass|scheduling.k8s.io/priorityclass")
    FIELD(6, std::optional<bool>, active,
          "False keeps the workload from being admitted, and evicts it when it is. True by default.")
    FIELD(7, std::optional<std::int32_t>, maximum_execution_time_seconds,
          "Seconds that the workload may be admitted before it is deactivated. At least 1.")
};

struct TopologyDomainAssignment {
    TYPE(TopologyDomainAssignment, "How many pods go to one domain.")
    FIELD(1, List<Text>, values, "The values of the node labels, level by level.", .required = true)
    FIELD(2, std::int32_t, count, "How many pods go there.", .required = true)
};

struct TopologyAssignment {
    TYPE(TopologyAssignment, "Which nodes the pods of a set go to.")
    FIELD(1, List<Text>, levels, "Node labels, from the widest domain to the narrowest.", .required = true)
    FIELD(2, List<TopologyDomainAssignment>, domains, "The domains.", .required = true)
};

struct PodSetAssignment {
    TYPE(PodSetAssignment, "What one set of pods was admitted with.")
    FIELD(1, Text, name, "Name of the set. The name main by default.", .required = true, .optional = true)
    FIELD(2, Map<Text>, flavors, "Flavor by resource.")
    FIELD(3, Map<Quantity>, resource_usage, "What all the pods of the set need together.")
    FIELD(4, std::optional<std::int32_t>, count, "How many pods were admitted.")
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

struct WorkloadStatus {
    TYPE(WorkloadStatus, "How far a workload has come.")
    FIELD(1, List<meta::Condition>, conditions, "The workload's state.", .patch = Patch::kMerge, .merge_key = "type",
          .list = ListKind::kMap)
    FIELD(2, Box<Admission>, admission, "What it was admitted with. Absent while no quota is reserved.")
    FIELD(3, Box<RequeueState>, requeue_state, "How often it came back after its pods were not ready in time.")
    FIELD(4, List<ReclaimablePod>, reclaimable_pods, "Pods that need their quota no longer, by set.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(5, List<AdmissionCheckState>, admission_checks, "The checks it must pass, and how far each has come.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(6, List<PodSetRequest>, resource_requests, "What it asks for, by set, while it is not admitted.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(7, std::optional<std::int32_t>, accumulated_past_execution_time_seconds,
          "Seconds it was admitted before it was last evicted. Misspelled in this version.",
          .json = "accumulatedPastExexcutionTimeSeconds")
    FIELD(8, Box<SchedulingStats>, scheduling_stats, "Figures about its way through the queue.")
    FIELD(9, List<Text>, nominated_cluster_names, "Clusters that are asked to run it.")
    FIELD(10, std::optional<Text>, cluster_name, "The cluster that runs it.")
    FIELD(11, List<UnhealthyNode>, unhealthy_nodes, "Nodes that failed under it and are to be replaced.",
          .list = ListKind::kMap, .list_keys = "name")
};

struct Workload {
    KIND(Workload, "One piece of work that gets its quota as a whole.", .plural = "workloads",
         .short_names = "wl,kwl,kueueworkload,kueueworkloads")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, WorkloadSpec, spec, "What is to be admitted.")
    FIELD(3, WorkloadStatus, status, "How far it has come. Written by the controllers.")
};

}  // namespace muster::api::kueue::v1beta1
