// LocalQueue: the door through which the work of one namespace comes to a cluster queue.
#pragma once

#include "api/kinds/kueue/quota.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::kueue {

struct LocalQueueSpec {
    TYPE(LocalQueueSpec, "Where the queue's workloads go.")
    FIELD(1, Text, cluster_queue, "Name of the ClusterQueue. It can never change.")
    FIELD(2, std::optional<Text>, stop_policy,
          "None, or a stop: Hold gives out no more quota and takes back what is reserved and not yet admitted, "
          "HoldAndDrain evicts the admitted workloads as well. None by default.",
          .one_of = "None|Hold|HoldAndDrain")
    FIELD(3, Box<FairSharing>, fair_sharing, "Weight among the local queues of a cluster queue that shares by usage.")
};

struct LocalQueueResourceUsage {
    TYPE(LocalQueueResourceUsage, "How much of one resource is in use.")
    FIELD(1, Text, name, "Name of the resource.", .required = true)
    FIELD(2, Quantity, total, "All that is in use.", .required = true, .optional = true)
};

struct LocalQueueFlavorUsage {
    TYPE(LocalQueueFlavorUsage, "How much of one flavor is in use.")
    FIELD(1, Text, name, "Name of the flavor.", .required = true)
    FIELD(2, List<LocalQueueResourceUsage>, resources, "Use by resource.", .required = true, .list = ListKind::kMap,
          .list_keys = "name")
};

struct LocalQueueAdmissionFairSharingStatus {
    TYPE(LocalQueueAdmissionFairSharingStatus, "What the queue has used over time.")
    FIELD(1, Map<Quantity>, consumed_resources, "Use by resource; what lies back counts less and less.",
          .required = true)
    FIELD(2, Time, last_update, "When this was last computed.", .required = true)
};

struct LocalQueueFairSharingStatus {
    TYPE(LocalQueueFairSharingStatus, "The queue's present share.")
    FIELD(1, std::int64_t, weighted_share, "The share in thousandths, divided by the weight.", .required = true)
    FIELD(2, Box<LocalQueueAdmissionFairSharingStatus>, admission_fair_sharing_status,
          "What the queue has used over time.")
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
    FIELD(6, List<LocalQueueFlavorUsage>, flavors_usage, "Quota that its admitted workloads use, by flavor.",
          .list = ListKind::kMap, .list_keys = "name")
    FIELD(7, Box<LocalQueueFairSharingStatus>, fair_sharing, "Its share, when sharing by usage is on.")
};

struct LocalQueue {
    KIND(LocalQueue, "The queue of one namespace. Its workloads get quota from a ClusterQueue.",
         .plural = "localqueues", .short_names = "queue,queues,lq", .access = Access::kView)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, LocalQueueSpec, spec, "Where its workloads go.", .required = true, .optional = true)
    FIELD(3, LocalQueueStatus, status, "What waits and what is in use. Written by the controller.")
};

}  // namespace muster::api::kueue
