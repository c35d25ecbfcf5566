// WorkloadPriorityClass: a name for a priority in the queues, apart from the priority of the pods.
#pragma once

#include "api/kinds/kueue/package.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::kueue {

struct WorkloadPriorityClass {
    KIND(WorkloadPriorityClass, "A name for a workload's priority, apart from that of its pods.",
         .plural = "workloadpriorityclasses", .namespaced = false, .short_names = "wpc")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, std::int32_t, value, "The priority. Higher goes first.", .required = true)
    FIELD(3, Text, description, "When to use this class, for people. At most 2048 characters.")
};

}  // namespace muster::api::kueue
