// The node group: what pods can be run with, and what that costs and demands.
#pragma once

#include "api/kinds/core/affinity.h"
#include "api/kinds/meta/meta.h"
#include "api/value/quantity.h"

namespace muster::api::runtime {

inline constexpr const char* kPackage = "io.k8s.api.node.v1";
inline constexpr const char* kGroup = "node.k8s.io";
inline constexpr const char* kVersion = "v1";

struct Overhead {
    TYPE(Overhead, "What a runtime needs beside the containers.")
    FIELD(1, Map<Quantity>, pod_fixed, "Resources that every pod of the class costs, whatever its containers need.")
};

struct Scheduling {
    TYPE(Scheduling, "Which nodes can run pods of a class.")
    FIELD(1, Map<Text>, node_selector,
          "Labels that those nodes have. Added to the pod's own selector; a pod that wants another value of one of "
          "them is refused.")
    FIELD(2, List<core::Toleration>, tolerations,
          "Taints of those nodes that pods of the class put up with, beside their own.")
};

struct RuntimeClass {
    KIND(RuntimeClass, "A runtime that pods can choose by name.", .plural = "runtimeclasses", .namespaced = false)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, Text, handler,
          "What the node's runtime calls this configuration of itself: a DNS label. It never changes.",
          .required = true)
    FIELD(3, Box<Overhead>, overhead, "What pods of the class cost in addition. Counted like their requests.")
    FIELD(4, Box<Scheduling>, scheduling, "Which nodes have the runtime. All of them when absent.")
};

}  // namespace muster::api::runtime
