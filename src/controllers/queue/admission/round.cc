#include "controllers/queue/admission/round.h"

#include <algorithm>

namespace muster::controllers::queue {

bool Round::run() {
    suppose_evicted_gone();
    make_cursors();
    const bool whole = state_.fair.enabled ? run_fair() : run_classical();
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

void Round::make_cursors() {
    for (const QueueId id : queues_) {
        Queue& queue = *state_.queues[id];
        if (!queue.spec.admits || queue.buckets.empty()) continue;
        Cursor cursor;
        cursor.queue = id;
        for (auto& [key, bucket] : queue.buckets) {
            bucket.why.clear();
            cursor.heads.insert({key.priority, *bucket.waiting.begin(), &bucket});
        }
        cursors_.push_back(std::move(cursor));
    }
}

void Round::judge(Cursor& cursor) {
    const Item& item = state_.items[cursor.heads.begin()->key.item];
    Asked asked;
    asked.queue = cursor.queue;
    asked.shape = item.shape;
    asked.priority = item.priority;
    asked.ordered_at = item.ordered_at;
    cursor.assignment = assign(state_, asked);
    cursor.judged_at = changes_;
    ++plan_.looked_at;
}

bool Round::run_classical() {
    std::set<Entry> entries;
    const auto enter = [&](std::size_t index) {
        Cursor& cursor = cursors_[index];
        if (cursor.heads.empty()) return;
        judge(cursor);
        entries.insert({cursor.assignment.borrow, *cursor.heads.begin(), index});
    };
    for (std::size_t i = 0; i < cursors_.size(); ++i) enter(i);
    while (!entries.empty()) {
        if (plan_.admit.size() >= admissions_max_) return false;
        const std::size_t index = entries.begin()->cursor;
        entries.erase(entries.begin());
        Cursor& cursor = cursors_[index];
        if (cursor.judged_at != changes_) {
            judge(cursor);
            const Entry again{cursor.assignment.borrow, *cursor.heads.begin(), index};
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
            const Usage before = cursor.assignment.usage;
            judge(cursor);
            if (cursor.assignment.usage != before) continue;
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
    state_.tree.add_usage(node_of(it), it.assignment.usage, View::kFuture, 1);
    const Share share = state_.tree.share(node, View::kFuture);
    state_.tree.add_usage(node_of(it), it.assignment.usage, View::kFuture, -1);
    return share;
}

void Round::process(Cursor& cursor) {
    const Assignment& assignment = cursor.assignment;
    if (assignment.fits() && state_.tree.fits(node_of(cursor), assignment.usage, View::kNow)) return admit(cursor);
    if (assignment.makes_room()) evict(cursor);
    if (assignment.fits() || assignment.makes_room()) return wait_for_evictions(cursor);
    give_up(cursor);
}

void Round::admit(Cursor& cursor) {
    const Head head = *cursor.heads.begin();
    Queue& queue = *state_.queues[cursor.queue];
    Item& item = state_.items[head.key.item];
    advance(cursor);
    head.bucket->waiting.erase(head.key);
    --queue.pending;
    item.state = ItemState::kHolding;
    item.reserved_at = now_;
    item.usage = cursor.assignment.usage;
    queue.holders.insert({item.priority, item.reserved_at, item.uid, head.key.item});
    state_.tree.add_usage(*queue.node, item.usage, View::kNow, 1);
    state_.tree.add_usage(*queue.node, item.usage, View::kFuture, 1);
    ++changes_;
    plan_.admit.push_back({head.key.item, std::move(cursor.assignment.pod_sets), cursor.assignment.borrow});
}

void Round::evict(Cursor& cursor) {
    const ItemId preemptor = cursor.heads.begin()->key.item;
    for (const Target& target : cursor.assignment.targets) {
        Item& victim = state_.items[target.item];
        victim.evicting = true;
        Queue& queue = *state_.queues[victim.queue];
        queue.evicting.insert(target.item);
        ++evicting_;
        state_.tree.add_usage(*queue.node, victim.usage, View::kFuture, -1);
        plan_.evict.push_back({target.item, preemptor, target.reason});
    }
}

// Its place is kept, so that nobody who comes later takes what its victims give back.
void Round::wait_for_evictions(Cursor& cursor) {
    state_.tree.add_usage(node_of(cursor), cursor.assignment.usage, View::kFuture, 1);
    ++changes_;
    Bucket& bucket = *cursor.heads.begin()->bucket;
    Obstruction waiting;
    waiting.obstacle = Obstacle::kPendingEvictions;
    waiting.amount = static_cast<Amount>(evicting_);
    bucket.why = cursor.assignment.why;
    bucket.why.push_back(std::move(waiting));
    if (is_strict(cursor))
        stop_behind(cursor);
    else
        advance(cursor);
}

void Round::give_up(Cursor& cursor) {
    Bucket& bucket = *cursor.heads.begin()->bucket;
    if (bucket.why.empty()) bucket.why = std::move(cursor.assignment.why);
    if (cursor.assignment.mode == Mode::kNoCandidates && !cursor.keeps_room) keep_room(cursor);
    if (is_strict(cursor))
        stop_behind(cursor);
    else
        cursor.heads.erase(cursor.heads.begin());
}

void Round::stop_behind(Cursor& cursor) {
    cursor.heads.erase(cursor.heads.begin());
    for (const Head& behind : cursor.heads) {
        Obstruction obstruction;
        obstruction.obstacle = Obstacle::kBehindOther;
        behind.bucket->why = {obstruction};
    }
    cursor.heads.clear();
}

// A workload that nobody can be preempted for keeps others from borrowing what it will need, unless its queue can
// always take that back.
void Round::keep_room(Cursor& cursor) {
    if (state_.queues[cursor.queue]->spec.policy.reclaim == PreemptPolicy::kAny) return;
    cursor.keeps_room = true;
    const NodeId node = node_of(cursor);
    for (const Use& use : cursor.assignment.usage) {
        const Amount used = state_.tree.usage(node, use.slot, View::kFuture);
        Amount most = state_.tree.nominal(node, use.slot);
        if (cursor.assignment.borrow > 0) {
            const auto limit = state_.tree.borrowing_limit(node, use.slot);
            most = limit ? plus(most, *limit) : kUnlimited;
        }
        const Amount kept = std::max<Amount>(0, std::min(use.amount, minus(most, used)));
        state_.tree.add_usage(node, use.slot, kept, View::kFuture);
    }
    ++changes_;
}

void Round::advance(Cursor& cursor) {
    const Head head = *cursor.heads.begin();
    cursor.heads.erase(cursor.heads.begin());
    auto next = head.bucket->waiting.upper_bound(head.key);
    if (next != head.bucket->waiting.end()) cursor.heads.insert({head.priority, *next, head.bucket});
}

void Round::drop_empty_buckets() {
    for (const Cursor& cursor : cursors_)
        std::erase_if(state_.queues[cursor.queue]->buckets,
                      [](const auto& entry) { return entry.second.waiting.empty(); });
}

}  // namespace muster::controllers::queue
