// ClusterQueue: quota for a part of the cluster's work, and the rules by which workloads get it.
#pragma once

#include "api/kinds/kueue/quota.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::kueue {

struct FlavorFungibility {
    TYPE(FlavorFungibility, "Whether to try the next flavor before borrowing or preempting in the present one.")
    FIELD(1, Text, when_can_borrow,
          "MayStopSearch takes a flavor in which the workload fits by borrowing, TryNextFlavor looks further. "
          "MayStopSearch by default.",
          .one_of = "MayStopSearch|TryNextFlavor")
    FIELD(2, Text, when_can_preempt,
          "MayStopSearch takes a flavor in which the workload fits by preempting, TryNextFlavor looks further. "
          "TryNextFlavor by default.",
          .one_of = "MayStopSearch|TryNextFlavor")
    FIELD(3, std::optional<Text>, preference,
          "Which to prefer when no flavor fits without either. Only when both of the others are TryNextFlavor. "
          "BorrowingOverPreemption by default.",
          .one_of = "BorrowingOverPreemption|PreemptionOverBorrowing")
};

struct BorrowWithinCohort {
    TYPE(BorrowWithinCohort, "Whether a workload that has to borrow may preempt those of other queues in the cohort.")
    FIELD(1, Text, policy, "Never, or LowerPriority: only those of lower priority. Never by default.",
          .one_of = "Never|LowerPriority")
    FIELD(2, std::optional<std::int32_t>, max_priority_threshold,
          "Preempts only workloads of at most this priority. Without it the policy alone decides.")
};

struct ClusterQueuePreemption {
    TYPE(ClusterQueuePreemption, "Which workloads make room for those that wait in this queue.")
    FIELD(1, Text, reclaim_within_cohort,
          "Whether a workload that fits into the nominal quota may preempt those of other queues in the cohort that "
          "borrow it: Never, LowerPriority only those of lower priority, Any all of them. Never by default.",
          .one_of = "Never|LowerPriority|Any")
    FIELD(2, Box<BorrowWithinCohort>, borrow_within_cohort,
          "Whether a workload that has to borrow may preempt others. Needs reclaimWithinCohort, and not with fair "
          "sharing.")
    FIELD(3, Text, within_cluster_queue,
          "Whether a workload may preempt others of this queue: Never, LowerPriority those of lower priority, "
          "LowerOrNewerEqualPriority also newer ones of the same priority. Never by default.",
          .one_of = "Never|LowerPriority|LowerOrNewerEqualPriority")
};

struct AdmissionCheckStrategyRule {
    TYPE(AdmissionCheckStrategyRule, "When one admission check applies.")
    FIELD(1, Text, name, "Name of the AdmissionCheck.", .required = true)
    FIELD(2, List<Text>, on_flavors, "Flavors it applies to. All by default; at most 64.", .list = ListKind::kSet)
};

struct AdmissionChecksStrategy {
    TYPE(AdmissionChecksStrategy, "Which admission checks a workload must pass.")
    FIELD(1, List<AdmissionCheckStrategyRule>, admission_checks, "The checks, 1 to 64.", .required = true,
          .list = ListKind::kMap, .list_keys = "name")
};

struct ConcurrentAdmissionConstraints {
    TYPE(ConcurrentAdmissionConstraints, "Bounds on where a running workload may move.")
    FIELD(1, std::optional<Text>, last_acceptable_flavor_name,
          "The last flavor, in the queue's order, that a workload may move to. Only with TryPreferredFlavors.")
};

struct ConcurrentAdmissionMigration {
    TYPE(ConcurrentAdmissionMigration, "Whether a running workload moves to a flavor that is preferred.")
    FIELD(1, Text, mode, "TryPreferredFlavors moves it when it can, RetainFirstAdmission leaves it where it is.",
          .required = true, .one_of = "TryPreferredFlavors|RetainFirstAdmission")
    FIELD(2, Box<ConcurrentAdmissionConstraints>, constraints, "Bounds on where it may move.")
};

struct ConcurrentAdmissionPolicy {
    TYPE(ConcurrentAdmissionPolicy, "Lets a workload seek several flavors at once.")
    FIELD(1, ConcurrentAdmissionMigration, migration, "What happens once it has been admitted.", .required = true)
};

struct ClusterQueueSpec {
    TYPE(ClusterQueueSpec, "The quota, and the rules by which workloads get it.")
    FIELD(1, List<ResourceGroup>, resource_groups, "The quota, by groups of resources. At most 16 groups.")
    FIELD(2, Text, cohort_name,
          "Name of the cohort. Queues of one cohort may borrow what the others do not use. Empty, there is no "
          "borrowing; the Cohort object itself need not exist.")
    FIELD(3, Text, queueing_strategy,
          "StrictFIFO lets a workload that does not fit hold up those behind it, BestEffortFIFO lets those that fit "
          "pass. BestEffortFIFO by default.",
          .one_of = "StrictFIFO|BestEffortFIFO")
    FIELD(4, Box<meta::LabelSelector>, namespace_selector,
          "Namespaces whose workloads may come here. Absent means none, empty means all.")
    FIELD(5, Box<FlavorFungibility>, flavor_fungibility,
          "Whether to try the next flavor before borrowing or preempting in the present one.")
    FIELD(6, Box<ClusterQueuePreemption>, preemption, "Which workloads make room for others.")
    FIELD(7, Box<AdmissionChecksStrategy>, admission_checks_strategy, "Which checks a workload must pass.")
    FIELD(8, std::optional<Text>, stop_policy,
          "None, or a stop: Hold gives out no more quota and takes back what is reserved and not yet admitted, "
          "HoldAndDrain evicts the admitted workloads as well. None by default.",
          .one_of = "None|Hold|HoldAndDrain")
    FIELD(9, Box<FairSharing>, fair_sharing, "Weight in its cohort, when fair sharing is on.")
    FIELD(10, Box<AdmissionScope>, admission_scope, "Whether its local queues share it by what they have used.")
    FIELD(11, Box<ConcurrentAdmissionPolicy>, concurrent_admission_policy,
          "Lets a workload seek several flavors at once.")
};

struct ResourceUsage {
    TYPE(ResourceUsage, "How much of one resource is in use.")
    FIELD(1, Text, name, "Name of the resource.", .required = true)
    FIELD(2, Quantity, total, "All that is in use, borrowed quota included.", .required = true, .optional = true)
    FIELD(3, Quantity, borrowed, "How much of it is above nominal quota.", .required = true, .optional = true)
};

struct FlavorUsage {
    TYPE(FlavorUsage, "How much of one flavor is in use.")
    FIELD(1, Text, name, "Name of the flavor.", .required = true)
    FIELD(2, List<ResourceUsage>, resources, "Use by resource.", .required = true, .list = ListKind::kMap,
          .list_keys = "name")
};

struct ClusterQueueStatus {
    TYPE(ClusterQueueStatus, "What waits in the queue, and what uses its quota.")
    FIELD(1, List<meta::Condition>, conditions, "The queue's state. Active says whether it admits workloads.",
          .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap)
    FIELD(2, List<FlavorUsage>, flavors_reservation, "Quota that workloads have reserved, by flavor.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(3, List<FlavorUsage>, flavors_usage, "Quota that admitted workloads use, by flavor.", .list = ListKind::kMap,
          .list_keys = "name")
    FIELD(4, std::int32_t, pending_workloads, "How many workloads wait for quota.", .required = true, .optional = true)
    FIELD(5, std::int32_t, reserving_workloads, "How many workloads have reserved quota and not finished.",
          .required = true, .optional = true)
    FIELD(6, std::int32_t, admitted_workloads, "How many workloads are admitted and not finished.", .required = true,
          .optional = true)
    FIELD(7, Box<FairSharingStatus>, fair_sharing, "Its share, when fair sharing is on.")
};

struct ClusterQueue {
    KIND(ClusterQueue, "Quota for a part of the cluster's work, and the rules by which workloads get it.",
         .plural = "clusterqueues", .namespaced = false, .short_names = "cq")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, ClusterQueueSpec, spec, "The quota and the rules.")
    FIELD(3, ClusterQueueStatus, status, "What waits and what is in use. Written by the controller.")
};

}  // namespace muster::api::kueue
