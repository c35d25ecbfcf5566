// Decides which workloads are admitted next and which are preempted for them. The engine remembers queues, flavors and
// workloads between decisions. decide() looks only at trees of cohorts that have changed since, and admits all that
// fits there, in order. Deterministic, no I/O. A planned step counts from then on, so that it is not planned again
// while it is being written and quota is never given twice. If a step fails, the caller puts the workload back.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controllers/queue/admission/engine/assign.h"
#include "controllers/queue/admission/model/state.h"

namespace muster::controllers::queue {

struct Admit {
    ItemId item = 0;
    std::vector<PodSetChoice> pod_sets{};
    int borrow = 0;
};
struct Evict {
    ItemId victim = 0;
    ItemId preemptor = 0;
    PreemptReason reason = PreemptReason::kInClusterQueue;
};
// Evictions and admissions of one plan are about different workloads. A preemptor is admitted by a later plan, when its
// victims have given back their quota.
struct Plan {
    std::vector<Evict> evict{};
    std::vector<Admit> admit{};
    std::size_t looked_at = 0;  // how many workloads were judged
    bool empty() const { return evict.empty() && admit.empty(); }
};

struct Waiter {
    Text queue{};
    Text uid{};
    std::int32_t priority = 0;
    Instant ordered_at{};
    ShapeId shape = 0;
};
struct Holder {
    Text queue{};
    Text uid{};
    std::int32_t priority = 0;
    Instant ordered_at{};
    Instant reserved_at{};
    Usage usage{};
    bool evicting = false;
};

class Engine {
public:
    explicit Engine(FairSharing fair = {}) { state_.fair = fair; }

    Names& names() { return state_.names; }
    const Names& names() const { return state_.names; }

    void set_flavor(const Text& name, Flavor flavor);
    void remove_flavor(const Text& name);
    void set_cohort(CohortSpec cohort);
    void remove_cohort(const Text& name);
    void set_queue(QueueSpec queue);
    void remove_queue(const Text& name);
    bool in_cycle(const Text& queue);  // its cohorts are above each other in a circle

    // Equal ones get the same number.
    ShapeId add_shape(Shape shape);

    ItemId add_item();
    void set_pending(ItemId item, Waiter waiter);
    void set_holding(ItemId item, Holder holder);
    // Neither waits nor holds.
    void set_idle(ItemId item);
    // Nor will it again.
    void set_over(ItemId item);
    void remove_item(ItemId item);
    const Item& item(ItemId item) const { return state_.items[item]; }

    // It was preempted; counts for a minute (see kPreemptionsMax), whatever becomes of it, as long as it is known here.
    void note_preempted(ItemId item, Instant at);

    // At most that many admissions; what is left is for the next call.
    Plan decide(Instant now, std::size_t admissions_max);
    // Whether there is something to decide.
    bool dirty(Instant now) const {
        return tree_stale_ || !dirty_.empty() || (!later_.empty() && later_.begin()->first <= now);
    }
    // When there will be, though nothing changes.
    std::optional<Instant> look_again_at() const {
        return later_.empty() ? std::nullopt : std::optional(later_.begin()->first);
    }

    // Why a pending workload waits, as of the last decision about its queue. Empty when there was none yet.
    std::string why(ItemId item) const;
    const char* why_reason(ItemId item) const;

    std::size_t queues_known() const { return queue_ids_.size(); }

    // Of a queue: what is used and how it stands. Zero for queues that are not there.
    std::size_t pending(const Text& queue) const;
    Amount used(const Text& queue, Slot slot);
    Share share(const Text& queue);
    Share cohort_share(const Text& cohort);
    // Quota of a cohort and of all below it, as far as they lend it.
    Usage cohort_quota(const Text& cohort);
    // The cohorts above a queue, from the nearest to the root.
    std::vector<Text> cohorts_above(const Text& queue) const;
    // "/root/cohort/queue"
    std::string path(const Text& queue) const;

private:
    friend class Round;

    // The queue's number, which it gets when it is named for the first time.
    QueueId queue_id(const Text& name);
    // Null for one that nothing has named. Looking for a queue does not make it.
    const Queue* find_queue(const Text& name) const;
    // Forgets a queue that is gone and that no workload waits in or holds quota of; its number is given again.
    void drop_unused(QueueId queue);
    Queue& queue_of(const Item& item) { return *state_.queues[item.queue]; }
    void forget_place(ItemId id);
    void drop_shape(ShapeId shape);
    void touch(QueueId queue);
    // Something has changed there that no decision has planned.
    void note_change(QueueId queue);
    void rebuild();
    const Bucket* bucket_of(ItemId item) const;

    EngineState state_;
    std::map<Text, QueueId> queue_ids_;
    std::map<Text, CohortSpec> cohorts_;
    std::map<Text, NodeId> cohort_nodes_;
    using ShapeIds = std::map<std::string, ShapeId>;
    ShapeIds shape_ids_;
    struct ShapeUse {
        ShapeIds::iterator key;
        std::uint32_t waiters = 0;
    };
    std::vector<ShapeUse> shape_uses_;
    std::vector<ShapeId> free_shapes_;
    std::vector<ItemId> free_;
    std::map<NodeId, std::vector<QueueId>> queues_of_root_;
    std::set<NodeId> dirty_;                        // roots
    std::set<std::pair<Instant, NodeId>> later_{};  // roots to be looked at again then
    bool tree_stale_ = false;
    std::vector<QueueId> free_queues_;
};

}  // namespace muster::controllers::queue
