// The sets of pods that a driver announces for its group (kueue.x-k8s.io/pod-group-sets): JSON or YAML, a list in the
// form of a Workload's podSets. A set without containers has the shape of the driver itself. Pure.
#pragma once

#include <string_view>

#include "api/kinds/kueue/workload.h"
#include "base/result.h"

namespace muster::controllers::podqueue {

// A group has no more roles than a Workload has sets.
inline constexpr std::size_t kRolesMax = 18;

// As written, empty templates included. kInvalid with a sentence that says what is wrong and where.
Result<List<api::kueue::PodSet>> parse_group_sets(std::string_view text);

// With the driver's spec in place of the empty templates.
List<api::kueue::PodSet> fill_group_sets(const List<api::kueue::PodSet>& sets, const api::core::PodSpec& driver);

// How many pods there are in all of them.
std::int64_t count_pods(const List<api::kueue::PodSet>& sets);

}  // namespace muster::controllers::podqueue
