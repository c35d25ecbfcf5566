// How a volume is, as its driver reports it: of a claim and of a pod's volume. Both features are off.
#pragma once

#include "api/kinds/core/package.h"
#include "api/schema/declare.h"
#include "api/value/time.h"

namespace muster::api::core {

struct VolumeHealthCondition {
    TYPE(VolumeHealthCondition, "One thing that is wrong with a volume.")
    FIELD(1, Text, status, "Inaccessible, DataLoss or Degraded.", .required = true)
    FIELD(2, Text, reason, "Why, as one CamelCase word for programs.", .required = true)
    FIELD(3, Text, message, "Why, as a sentence for people.")
};

struct VolumeHealthStatus {
    TYPE(VolumeHealthStatus, "How a volume is.")
    FIELD(1, List<VolumeHealthCondition>, health_conditions, "What is wrong with it.", .list = ListKind::kMap,
          .list_keys = "status,reason")
    FIELD(2, std::optional<Time>, last_transition_time, "When that last changed.")
};

}  // namespace muster::api::core
