// What an admitted workload's pods get when they start: the node labels and tolerations of their flavors, what
// admission checks add, and labels that say where they came from. Pure.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "api/kinds/kueue/resource_flavor.h"
#include "api/kinds/kueue/workload.h"
#include "base/result.h"

namespace muster::controllers {

struct PodSetStart {
    Text name;
    std::int32_t count = 0;
    Map<Text> labels{};
    Map<Text> annotations{};
    Map<Text> node_selector{};
    List<api::core::Toleration> tolerations{};
};

// Null when there is no such flavor.
using FindFlavor = std::function<const api::kueue::ResourceFlavor*(const Text& name)>;

// The value of a WorkloadPriorityClass; nothing when there is none of that name.
using FindPriority = std::function<std::optional<std::int32_t>(const Text& name)>;

// What Kubernetes gives a pod that names this PriorityClass, or with an empty name the cluster's default: nothing of no
// class when there is no default.
struct PodPriority {
    Text class_name;
    std::int32_t value = 0;
};
// Nothing when there is no class of that name.
using FindPodPriority = std::function<std::optional<PodPriority>(const Text& name)>;

// One for each set of the admission. kNotFound while a flavor is missing.
Result<std::vector<PodSetStart>> starts_of(const api::kueue::Workload& workload, const FindFlavor& find_flavor);

// Adds it to a pod or a template. kInvalid, with nothing changed, when it asks for another value of a label, a node
// label or an annotation that is there.
Result<> inject_start(const PodSetStart& start, api::meta::ObjectMeta& metadata, api::core::PodSpec& spec);

}  // namespace muster::controllers
