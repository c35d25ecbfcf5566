// One decision about one tree of cohorts. First come the workloads that have preempted others, in the order in which
// they did (round_claims.cc). Then again and again the workload that comes first among the heads of all queues, until
// none is left that fits. Between queues: who borrows less, then priority, then time; under fair sharing, whose queue
// would use least beyond its own. Within a queue: priority, then time; a strict one stops at the first that does not
// fit, and lends nothing of what that one needs.
// Quota is kept from others for these two only: a claim, and the head of a strict queue.
#pragma once

#include <set>

#include "controllers/queue/admission/engine/engine.h"

namespace muster::controllers::queue {

class Round {
public:
    Round(EngineState& state, NodeId root, const std::vector<QueueId>& queues, Instant now, std::size_t admissions_max,
          Plan& plan)
        : state_(state), root_(root), queues_(queues), now_(now), admissions_max_(admissions_max), plan_(plan) {}

    // False when it stopped at the bound and there may be more.
    bool run();

private:
    // The first of one bucket.
    struct Head {
        std::int32_t priority;
        WaitKey key;
        Bucket* bucket;
        bool operator<(const Head& other) const {
            return priority != other.priority ? priority > other.priority : key < other.key;
        }
    };
    struct Cursor {
        QueueId queue = 0;
        std::set<Head> heads{};  // of buckets that may still fit
        Assignment assignment{};
        std::uint64_t judged_at = 0;  // at which change
    };
    struct Entry {
        int borrow;
        Head head;
        std::size_t cursor;
        bool operator<(const Entry& other) const {
            if (borrow != other.borrow) return borrow < other.borrow;
            if (head < other.head || other.head < head) return head < other.head;
            return cursor < other.cursor;
        }
    };

    void suppose_evicted_gone();
    void forget_reasons();
    void make_cursors();
    // The heads of its buckets that have no claim.
    void add_head(Cursor& cursor, std::int32_t priority, Bucket& bucket, std::set<WaitKey>::const_iterator from);

    // Claims. False when it stopped at the bound.
    bool honour_claims();
    std::vector<ItemId> find_claims() const;
    ItemId head_of(const Queue& queue) const;
    bool renew(ItemId item, Claim& claim);
    std::optional<Grant> find_other_grant(ItemId item, const Claim& claim);
    void make_claim(Cursor& cursor);

    void judge(Cursor& cursor);
    bool run_classical();
    bool run_fair();
    std::optional<std::size_t> find_fairest(NodeId node, const std::vector<std::optional<std::size_t>>& by_node);
    bool is_fairer(std::size_t left, NodeId left_child, std::size_t right, NodeId right_child);
    Share share_with(std::size_t cursor, NodeId node);

    void process(Cursor& cursor);
    void admit(Cursor& cursor);
    // Adds the usage to View::kNow; the caller adds it to View::kFuture.
    void grant(ItemId item, Grant grant);
    void evict(Cursor& cursor);
    void wait_for_evictions(Cursor& cursor);
    void tell_pending_evictions(Bucket& bucket, std::vector<Obstruction> why) const;
    void give_up(Cursor& cursor);
    void pass_over(Cursor& cursor);
    // Skips the workloads behind the first of a strict queue and gives them that reason.
    void tell_behind(Cursor& cursor);
    void keep_own_quota(Cursor& cursor);
    // The next of the same bucket becomes its head.
    void advance(Cursor& cursor);
    void drop_empty_buckets();

    Asked ask_for(ItemId item, Effort effort) const;
    NodeId node_of(const Cursor& cursor) const { return *state_.queues[cursor.queue]->node; }
    NodeId node_of(const Item& item) const { return *state_.queues[item.queue]->node; }
    Bucket& bucket_of(const Item& item) const {
        return state_.queues[item.queue]->buckets.find({item.priority, item.shape})->second;
    }
    bool is_strict(const Cursor& cursor) const { return state_.queues[cursor.queue]->spec.policy.strict_fifo; }

    EngineState& state_;
    NodeId root_;
    const std::vector<QueueId>& queues_;
    Instant now_;
    std::size_t admissions_max_;
    Plan& plan_;
    std::vector<Cursor> cursors_;
    std::uint64_t changes_ = 1;  // of the future
    std::size_t evicting_ = 0;
};

}  // namespace muster::controllers::queue
