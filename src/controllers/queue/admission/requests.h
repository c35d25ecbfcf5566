// What one pod of a set asks for: containers and sidecars together, or an init container at its most demanding, and the
// overhead; limits and the namespace's LimitRanges stand in where a container states no request. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/kinds/core/quota.h"
#include "controllers/queue/quota/amount.h"

namespace muster::controllers::queue {

using LimitRanges = std::vector<std::shared_ptr<const api::core::LimitRange>>;
using PodAmounts = std::map<Text, Amount>;  // by resource

// Thousandths of cpu, whole units of everything else.
Amount amount_of(std::string_view resource, const api::Quantity& quantity);

PodAmounts pod_amounts(const api::core::PodSpec& spec, const LimitRanges& ranges);

// How the pod breaks its own limits or those of the namespace, as a sentence; empty when it does not. Such pods could
// never be created, so there is no use in keeping quota for them.
std::string check_limits(const api::core::PodSpec& spec, const LimitRanges& ranges);

}  // namespace muster::controllers::queue
