// The scheduling group: names for pod priorities.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api::scheduling {

inline constexpr const char* kPackage = "io.k8s.api.scheduling.v1";
inline constexpr const char* kGroup = "scheduling.k8s.io";
inline constexpr const char* kVersion = "v1";

struct PriorityClass {
    KIND(PriorityClass, "A name for a pod priority.", .plural = "priorityclasses", .namespaced = false,
         .short_names = "pc")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, std::int32_t, value,
          "Priority of the pods that name this class. Higher goes first; values above one billion are the system's.",
          .required = true)
    FIELD(3, bool, global_default,
          "Whether pods that name no class get this one. When several say so, the lowest value wins.")
    FIELD(4, Text, description, "When to use this class, for people.")
    FIELD(5, std::optional<Text>, preemption_policy,
          "PreemptLowerPriority lets the pods push out others of lower priority, Never lets them only wait ahead of "
          "those. PreemptLowerPriority by default.",
          .one_of = "Never|PreemptLowerPriority")
};

}  // namespace muster::api::scheduling
