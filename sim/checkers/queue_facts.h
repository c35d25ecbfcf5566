// How the queueing checkers read pods, Workloads and quota: a separate implementation, not the product's code.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <tuple>

#include "api/kinds/kueue/workload.h"
#include "sim/checkers/job_facts.h"
#include "sim/world/world.h"

namespace muster::sim {

using QueuedWork = api::kueue::Workload;

bool is_gated(const Pod& pod);
// It has the finalizer of queueing.
bool is_held(const Pod& pod);
// Empty when it is of none.
Text group_name_of(const Pod& pod);
// 0 when the pod does not say.
std::int64_t group_size_of(const Pod& pod);

const api::meta::Condition* find_condition(const QueuedWork& work, std::string_view type);
bool has_condition(const QueuedWork& work, std::string_view type);
bool holds_quota(const QueuedWork& work);
// How many pods of the set need their quota no longer.
std::int64_t given_back(const QueuedWork& work, const Text& set);

// In thousandths; by ClusterQueue, flavor and resource. What pods that have ended gave back does not count.
using QuotaKey = std::tuple<Text, Text, Text>;
std::map<QuotaKey, std::int64_t> usage_of(const QueuedWork& work);

// The Workload of a pod's group, or of the pod or Job with this UID; null when there is none.
const QueuedWork* find_work(const World& world, const Text& group, const Text& uid);

// Waits for quota that its queue can never have, and says so.
bool waits_for_ever(const World& world, const Text& group, const Text& uid);

// Whether the scenario, as drawn, has one of these faults.
bool has_fault(const World& world, std::initializer_list<std::string_view> names);

// Whether what a controller decides is stored in its own life or not at all; and how old at most what it decided on
// may be then.
bool decides_in_one_life(const World& world);
Duration decision_age_max(const World& world);

}  // namespace muster::sim
