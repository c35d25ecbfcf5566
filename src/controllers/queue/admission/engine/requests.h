// What one pod of a set asks for: containers and sidecars together, or an init container at its most demanding, and the
// overhead, its own or that of its RuntimeClass; limits and the namespace's LimitRanges stand in where a container
// states no request. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/kinds/core/quota.h"
#include "api/kinds/runtime.h"
#include "controllers/queue/quota/amount.h"

namespace muster::controllers::queue {

using LimitRanges = std::vector<std::shared_ptr<const api::core::LimitRange>>;
// Null when there is none of that name.
using FindRuntimeClass = std::function<std::shared_ptr<const api::runtime::RuntimeClass>(const Text& name)>;
// What a pod would meet if it were created.
struct PodRules {
    LimitRanges ranges{};
    FindRuntimeClass find_runtime_class{};  // none: no classes are known
};
using PodAmounts = std::map<Text, Amount>;  // by resource

// Thousandths of cpu, whole units of everything else. It may be negative, as a quota that was stored by an earlier
// server; what pods ask for and what workloads use is not (pod_amounts, usage_of).
Amount amount_of(std::string_view resource, const api::Quantity& quantity);

PodAmounts pod_amounts(const api::core::PodSpec& spec, const PodRules& rules);

// How the pod breaks its own limits or those of the namespace, or what it needs and is not there, as a sentence; empty
// when it does not. Such pods could never be created, so there is no use in keeping quota for them.
std::string check_limits(const api::core::PodSpec& spec, const PodRules& rules);

}  // namespace muster::controllers::queue
