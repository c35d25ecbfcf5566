// The admission engine's memory between two decisions: the quota tree, who waits in which queue and who holds quota.
// Workloads that are alike wait together in a bucket, so that a decision looks at one of them, not at all.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "controllers/queue/admission/model/model.h"
#include "controllers/queue/admission/model/preemption_history.h"

namespace muster::controllers::queue {

using QueueId = std::uint32_t;
using ShapeId = std::uint32_t;

enum class ItemState : std::uint8_t { kFree, kKnown, kPending, kHolding };

struct Item {
    Text uid;  // breaks ties
    Instant ordered_at{};
    Instant reserved_at{};
    Usage usage{};  // while it holds quota
    QueueId queue = 0;
    ShapeId shape = 0;  // while it is pending
    std::int32_t priority = 0;
    ItemState state = ItemState::kFree;
    bool evicting = false;                // holds quota, and will give it back
    bool admitted_now = false;            // by the decision that is being made
    std::vector<Instant> preempted_at{};  // the last few times, in order
};

// First come, first served.
struct WaitKey {
    Instant ordered_at;
    Text uid;
    ItemId item;
    auto operator<=>(const WaitKey&) const = default;
};
// Lower priority first, newest first: the order in which workloads are preempted.
struct HolderKey {
    std::int32_t priority;
    Instant reserved_at;
    Text uid;
    ItemId item;
    bool operator<(const HolderKey& other) const {
        if (priority != other.priority) return priority < other.priority;
        if (reserved_at != other.reserved_at) return reserved_at > other.reserved_at;
        return std::tie(uid, item) < std::tie(other.uid, other.item);
    }
};

struct Bucket {
    std::set<WaitKey> waiting{};
    std::vector<Obstruction> why{};  // the first of those that do not fit waits for this
};
struct BucketKey {
    std::int32_t priority;
    ShapeId shape;
    bool operator<(const BucketKey& other) const {
        return priority != other.priority ? priority > other.priority : shape < other.shape;
    }
};

// The quota kept for a waiting workload that has preempted others, until it is admitted. Claims come before all other
// workloads, so that victims do not get their quota back: every preemption ends with an admission. Claims are in memory
// only: after a restart the victims that are still stopping are known, but not their preemptors.
struct Claim {
    Grant grant{};
    std::uint64_t order = 0;  // earlier ones come first
    bool stale = false;       // quotas or flavors have changed since
};

struct Queue {
    QueueSpec spec{};
    bool exists = false;
    std::optional<NodeId> node{};  // none while its cohorts form a circle
    std::map<BucketKey, Bucket> buckets{};
    std::set<HolderKey> holders{};
    std::set<ItemId> evicting{};
    std::map<ItemId, Claim> claims{};
    std::size_t pending = 0;
};

struct FairSharing {
    bool enabled = false;
    // Rules by which one may take from another, in the order in which they are tried.
    bool less_or_equal_final_share = true;
    bool less_initial_share = true;
};

struct EngineState {
    Names names{};
    FairSharing fair{};
    QuotaTree tree{};
    std::vector<std::unique_ptr<Queue>> queues{};
    std::vector<std::optional<QueueId>> queue_of_node{};
    std::vector<Item> items{};
    std::vector<std::shared_ptr<const Shape>> shapes{};
    std::map<FlavorId, Flavor> flavors{};
    // What find_mismatch said, by shape, pod set and flavor; forgotten when flavors change.
    std::map<std::tuple<ShapeId, std::uint16_t, FlavorId>, std::string> mismatches{};
    std::uint64_t claims_made = 0;
    PreemptionHistory history{};
    // While a tree is being decided: when a workload that is spared now may be preempted.
    std::optional<Instant> look_again_at{};
    // While a workload is being judged: one that it could preempt is spared for a circle.
    bool circle_found = false;
};

}  // namespace muster::controllers::queue
