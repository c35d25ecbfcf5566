#include "controllers/queue/admission/engine/round.h"

#include <algorithm>

#include "base/check.h"

namespace muster::controllers::queue {

bool Round::run() {
    suppose_evicted_gone();
    forget_reasons();
    bool whole = honour_claims();
    if (whole) {
        make_cursors();
        whole = state_.fair.enabled ? run_fair() : run_classical();
    }
    drop_empty_buckets();
    return whole;
}

void Round::suppose_evicted_gone() {
    state_.tree.reset_future(root_);
    for (const QueueId id : queues_) {
        const Queue& queue = *state_.queues[id];
        for (const ItemId item : queue.evicting)
            state_.tree.add_usage(*queue.node, state_.items[item].usage, View::kFuture, -1);
        evicting_ += queue.evicting.size();
    }
}

void Round::forget_reasons() {
    for (const QueueId id : queues_)
        if (state_.queues[id]->spec.admits)
            for (auto& [key, bucket] : state_.queues[id]->buckets) bucket.why.clear();
}

void Round::make_cursors() {
    for (const QueueId id : queues_) {
        Queue& queue = *state_.queues[id];
        if (!queue.spec.admits) continue;
        Cursor cursor;
        cursor.queue = id;
        for (auto& [key, bucket] : queue.buckets) add_head(cursor, key.priority, bucket, bucket.waiting.begin());
        // The claim is of its first.
        if (queue.spec.policy.strict_fifo && !queue.claims.empty()) tell_behind(cursor);
        if (!cursor.heads.empty()) cursors_.push_back(std::move(cursor));
    }
}

void Round::add_head(Cursor& cursor, std::int32_t priority, Bucket& bucket, std::set<WaitKey>::const_iterator from) {
    const auto& claims = state_.queues[cursor.queue]->claims;
    while (from != bucket.waiting.end() && claims.contains(from->item)) ++from;
    if (from != bucket.waiting.end()) cursor.heads.insert({priority, *from, &bucket});
}

Asked Round::ask_for(ItemId id, Effort effort) const {
    const Item& item = state_.items[id];
    Asked asked;
    asked.item = id;
    asked.queue = item.queue;
    asked.shape = item.shape;
    asked.priority = item.priority;
    asked.ordered_at = item.ordered_at;
    asked.now = now_;
    asked.effort = effort;
    return asked;
}

void Round::judge(Cursor& cursor) {
    cursor.assignment = assign(state_, ask_for(cursor.heads.begin()->key.item, Effort::kPreempt));
    cursor.judged_at = changes_;
    ++plan_.looked_at;
}

bool Round::run_classical() {
    std::set<Entry> entries;
    const auto enter = [&](std::size_t index) {
        Cursor& cursor = cursors_[index];
        if (cursor.heads.empty()) return;
        judge(cursor);
        entries.insert({cursor.assignment.grant.borrow, *cursor.heads.begin(), index});
    };
    for (std::size_t i = 0; i < cursors_.size(); ++i) enter(i);
    while (!entries.empty()) {
        if (plan_.admit.size() >= admissions_max_) return false;
        const std::size_t index = entries.begin()->cursor;
        entries.erase(entries.begin());
        Cursor& cursor = cursors_[index];
        if (cursor.judged_at != changes_) {
            judge(cursor);
            const Entry again{cursor.assignment.grant.borrow, *cursor.heads.begin(), index};
            if (!entries.empty() && *entries.begin() < again) {
                entries.insert(again);
                continue;
            }
        }
        process(cursor);
        enter(index);
    }
    return true;
}

bool Round::run_fair() {
    std::vector<std::optional<std::size_t>> by_node(state_.tree.size());
    const auto enter = [&](std::size_t index) {
        Cursor& cursor = cursors_[index];
        if (cursor.heads.empty()) {
            by_node[node_of(cursor)].reset();
            return;
        }
        judge(cursor);
        by_node[node_of(cursor)] = index;
    };
    for (std::size_t i = 0; i < cursors_.size(); ++i) enter(i);
    while (const auto next = find_fairest(root_, by_node)) {
        if (plan_.admit.size() >= admissions_max_) return false;
        Cursor& cursor = cursors_[*next];
        if (cursor.judged_at != changes_) {
            const Usage before = cursor.assignment.grant.usage;
            judge(cursor);
            if (cursor.assignment.grant.usage != before) continue;
        }
        process(cursor);
        enter(*next);
    }
    return true;
}

std::optional<std::size_t> Round::find_fairest(NodeId node, const std::vector<std::optional<std::size_t>>& by_node) {
    if (state_.tree.is_queue(node)) return by_node[node];
    std::optional<std::size_t> best;
    NodeId best_child = 0;
    for (const NodeId child : state_.tree.children(node)) {
        const auto candidate = find_fairest(child, by_node);
        if (!candidate || (best && !is_fairer(*candidate, child, *best, best_child))) continue;
        best = candidate;
        best_child = child;
    }
    return best;
}

bool Round::is_fairer(std::size_t left, NodeId left_child, std::size_t right, NodeId right_child) {
    const int order = Share::compare(share_with(left, left_child), share_with(right, right_child));
    if (order != 0) return order < 0;
    return *cursors_[left].heads.begin() < *cursors_[right].heads.begin();
}

Share Round::share_with(std::size_t cursor, NodeId node) {
    const Cursor& it = cursors_[cursor];
    state_.tree.add_usage(node_of(it), it.assignment.grant.usage, View::kFuture, 1);
    const Share share = state_.tree.share(node, View::kFuture);
    state_.tree.add_usage(node_of(it), it.assignment.grant.usage, View::kFuture, -1);
    return share;
}

void Round::process(Cursor& cursor) {
    Assignment& assignment = cursor.assignment;
    const auto fits_now = [&] { return state_.tree.fits(node_of(cursor), assignment.grant.usage, View::kNow); };
    // With other flavors, or fewer pods, it may not have to wait for those that are being evicted.
    if (assignment.fits() && !fits_now()) {
        Assignment at_once = assign(state_, ask_for(cursor.heads.begin()->key.item, Effort::kAtOnce));
        if (at_once.fits()) assignment = std::move(at_once);
    }
    if (assignment.fits() && fits_now()) return admit(cursor);
    if (assignment.fits()) return wait_for_evictions(cursor);
    if (assignment.makes_room()) {
        evict(cursor);
        return make_claim(cursor);
    }
    give_up(cursor);
}

void Round::admit(Cursor& cursor) {
    const ItemId item = cursor.heads.begin()->key.item;
    advance(cursor);
    state_.tree.add_usage(node_of(cursor), cursor.assignment.grant.usage, View::kFuture, 1);
    grant(item, std::move(cursor.assignment.grant));
    ++changes_;
}

void Round::grant(ItemId id, Grant grant) {
    Item& item = state_.items[id];
    Queue& queue = *state_.queues[item.queue];
    CHECK(item.state == ItemState::kPending && queue.pending > 0, "quota for a workload that does not wait");
    CHECK(bucket_of(item).waiting.erase({item.ordered_at, item.uid, id}) == 1, "a workload gets quota twice");
    --queue.pending;
    item.state = ItemState::kHolding;
    item.admitted_now = true;
    item.reserved_at = now_;
    item.usage = std::move(grant.usage);
    queue.holders.insert({item.priority, item.reserved_at, item.uid, id});
    state_.tree.add_usage(*queue.node, item.usage, View::kNow, 1);
    plan_.admit.push_back({id, std::move(grant.pod_sets), grant.borrow});
}

void Round::evict(Cursor& cursor) {
    const ItemId preemptor = cursor.heads.begin()->key.item;
    for (const Target& target : cursor.assignment.targets) {
        Item& victim = state_.items[target.item];
        CHECK(victim.state == ItemState::kHolding && !victim.evicting,
              "a workload is evicted that has no quota to give");
        victim.evicting = true;
        Queue& queue = *state_.queues[victim.queue];
        queue.evicting.insert(target.item);
        ++evicting_;
        state_.tree.add_usage(*queue.node, victim.usage, View::kFuture, -1);
        state_.history.note_preemption(root_, preemptor, target.item, now_);
        plan_.evict.push_back({target.item, preemptor, target.reason});
    }
}

// Nothing is kept for it: those that are being evicted do not go for its sake.
void Round::wait_for_evictions(Cursor& cursor) {
    tell_pending_evictions(*cursor.heads.begin()->bucket, std::move(cursor.assignment.why));
    pass_over(cursor);
}

void Round::tell_pending_evictions(Bucket& bucket, std::vector<Obstruction> why) const {
    if (!bucket.why.empty()) return;
    bucket.why = std::move(why);
    Obstruction waiting;
    waiting.obstacle = Obstacle::kPendingEvictions;
    waiting.amount = static_cast<Amount>(evicting_);
    bucket.why.push_back(std::move(waiting));
}

void Round::give_up(Cursor& cursor) {
    Bucket& bucket = *cursor.heads.begin()->bucket;
    if (bucket.why.empty()) bucket.why = std::move(cursor.assignment.why);
    pass_over(cursor);
}

// Others that are alike do not fit either.
void Round::pass_over(Cursor& cursor) {
    if (is_strict(cursor) && cursor.assignment.mode != Mode::kNoFit) keep_own_quota(cursor);
    cursor.heads.erase(cursor.heads.begin());
    if (is_strict(cursor)) tell_behind(cursor);
}

void Round::tell_behind(Cursor& cursor) {
    for (const Head& behind : cursor.heads) {
        Obstruction obstruction;
        obstruction.obstacle = Obstacle::kBehindOther;
        if (behind.bucket->why.empty()) behind.bucket->why = {obstruction};
    }
    cursor.heads.clear();
}

// What the first of a strict queue will need of the queue's own quota is not lent meanwhile, unless the queue can
// always take it back.
void Round::keep_own_quota(Cursor& cursor) {
    if (state_.queues[cursor.queue]->spec.policy.reclaim == PreemptPolicy::kAny) return;
    const NodeId node = node_of(cursor);
    for (const Use& use : cursor.assignment.grant.usage) {
        const Amount used = state_.tree.usage(node, use.slot, View::kFuture);
        const Amount left = minus(state_.tree.nominal(node, use.slot), used);
        state_.tree.add_usage(node, use.slot, std::max<Amount>(0, std::min(use.amount, left)), View::kFuture);
    }
    ++changes_;
}

void Round::advance(Cursor& cursor) {
    const Head head = *cursor.heads.begin();
    cursor.heads.erase(cursor.heads.begin());
    add_head(cursor, head.priority, *head.bucket, head.bucket->waiting.upper_bound(head.key));
}

void Round::drop_empty_buckets() {
    for (const QueueId id : queues_)
        std::erase_if(state_.queues[id]->buckets, [](const auto& entry) { return entry.second.waiting.empty(); });
}

}  // namespace muster::controllers::queue
