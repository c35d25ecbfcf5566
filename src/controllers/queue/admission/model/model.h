// What the admission engine knows of the world, as values: flavors, queues with their policies, the shapes of
// workloads, and the reasons why one waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/core/affinity.h"
#include "base/instant.h"
#include "base/map.h"
#include "base/text.h"
#include "controllers/queue/admission/model/names.h"
#include "controllers/queue/quota/tree.h"

namespace muster::controllers::queue {

struct Flavor {
    Map<Text> node_labels;
    List<api::core::Taint> node_taints;
    List<api::core::Toleration> tolerations;
};

// Where pods may go, as far as flavors are concerned.
struct Placement {
    Map<Text> node_selector;
    Box<api::core::NodeSelector> required;
    List<api::core::Toleration> tolerations;
};

struct PodSetShape {
    Text name;
    std::int32_t count = 1;
    std::int32_t min_count = 1;  // equal to count when all are needed
    // By name: what no queue has quota for gets no number (names.h).
    std::vector<std::pair<Text, Amount>> per_pod{};
    Placement placement{};
};

// Workloads that are alike share one: what does not fit for one of them does not for the others.
struct Shape {
    std::vector<PodSetShape> pod_sets;
    bool may_shrink() const;
};

enum class PreemptPolicy : std::uint8_t { kNever, kLowerPriority, kLowerOrNewerEqualPriority, kAny };

struct ResourceGroup {
    std::vector<ResourceId> resources;
    std::vector<FlavorId> flavors;  // in the order in which they are tried
};

struct QueuePolicy {
    std::vector<ResourceGroup> groups{};
    bool strict_fifo = false;
    PreemptPolicy within_queue = PreemptPolicy::kNever;
    PreemptPolicy reclaim = PreemptPolicy::kNever;
    bool borrow_while_preempting = false;
    std::optional<std::int32_t> borrow_priority_max{};
    bool next_flavor_rather_than_borrow = false;
    bool next_flavor_rather_than_preempt = true;
    bool preempt_rather_than_borrow = false;
};

struct QueueSpec {
    Text name{};
    Text cohort{};  // empty: alone
    QueuePolicy policy{};
    std::vector<Quota> quotas{};
    double weight = 1;
    bool admits = true;  // false: stopped, or something that it needs is missing
};

struct CohortSpec {
    Text name{};
    Text parent{};
    std::vector<Quota> quotas{};
    double weight = 1;
};

struct Choice {
    ResourceId resource = 0;
    FlavorId flavor = 0;
    Amount total = 0;  // for all pods of the set
    bool operator==(const Choice&) const = default;
};
struct PodSetChoice {
    std::int32_t count = 0;
    std::vector<Choice> choices{};
    bool operator==(const PodSetChoice&) const = default;
};
// Quota for a workload: the flavors and counts of its pod sets, and what that is together.
struct Grant {
    std::vector<PodSetChoice> pod_sets{};
    Usage usage{};
    int borrow = 0;  // how high in the tree quota is borrowed; 0 is not at all
};

enum class Obstacle : std::uint8_t {
    kInsufficient,      // `amount` more needed
    kBeyondCapacity,    // `amount` is the most there can ever be
    kNoSuchResource,    // no group of the queue covers `text`
    kMismatch,          // pods cannot go to that flavor: `text`
    kFlavorMissing,     //
    kPendingEvictions,  // fits once `amount` evicted workloads are gone
    kBehindOther,       // the queue is strict, and its head waits
    kCircle,            // those that it could preempt have preempted it
};

struct Obstruction {
    Obstacle obstacle = Obstacle::kInsufficient;
    std::uint16_t pod_set = 0;
    ResourceId resource = 0;
    FlavorId flavor = 0;
    Amount amount = 0;
    Amount asked = 0;
    std::string text{};
    Amount assumed = 0;  // of `asked`, by pod sets before this one
};

std::string format_amount(const Text& resource, Amount amount);
// A sentence for people, in Kueue's words: "couldn't assign flavors to pod set main: insufficient unused quota for cpu
// in flavor x, 3 more needed".
std::string explain(const std::vector<Obstruction>& obstructions, const Shape& shape, const Names& names);
// The reason that goes with it in the workload's condition.
const char* reason_of(const std::vector<Obstruction>& obstructions);

// Why pods of that placement cannot go to that flavor's nodes; empty when they can.
std::string find_mismatch(const Placement& placement, const Flavor& flavor, const Text& flavor_name);

}  // namespace muster::controllers::queue
