// Workloads that have preempted others. What their victims give back is kept for them: a claim is honoured before any
// other workload is judged, earlier claims first, so that the victims, which wait again, cannot take it back and be
// preempted again. As long as quotas stay the same a claim fits when the victims are gone, because whatever is admitted
// meanwhile leaves room for it.
#include <algorithm>

#include "controllers/queue/admission/engine/round.h"

namespace muster::controllers::queue {

// All claims are counted before one of them is admitted elsewhere, which must not be at another's cost.
bool Round::honour_claims() {
    std::vector<ItemId> held;
    for (const ItemId id : find_claims()) {
        Queue& queue = *state_.queues[state_.items[id].queue];
        if (renew(id, queue.claims[id]))
            held.push_back(id);
        else
            queue.claims.erase(id);
    }
    for (const ItemId id : held) {
        if (plan_.admit.size() >= admissions_max_) return false;
        const Item& item = state_.items[id];
        Queue& queue = *state_.queues[item.queue];
        Claim& claim = queue.claims[id];
        std::optional<Grant> now;
        if (state_.tree.fits(*queue.node, claim.grant.usage, View::kNow))
            now = std::move(claim.grant);
        else
            now = find_other_grant(id, claim);
        if (!now) {
            tell_pending_evictions(bucket_of(item), {});
            continue;
        }
        queue.claims.erase(id);
        grant(id, std::move(*now));
    }
    return true;
}

std::vector<ItemId> Round::find_claims() const {
    std::vector<std::pair<std::uint64_t, ItemId>> found;
    for (const QueueId id : queues_)
        for (const auto& [item, claim] : state_.queues[id]->claims) found.emplace_back(claim.order, item);
    std::sort(found.begin(), found.end());
    std::vector<ItemId> out;
    for (const auto& [order, item] : found) out.push_back(item);
    return out;
}

// The first of those that wait in it, of which there is one.
ItemId Round::head_of(const Queue& queue) const {
    const auto highest = queue.buckets.begin();
    auto head = highest;
    for (auto it = highest; it != queue.buckets.end() && it->first.priority == highest->first.priority; ++it)
        if (*it->second.waiting.begin() < *head->second.waiting.begin()) head = it;
    return head->second.waiting.begin()->item;
}

// Adds the claim to View::kFuture. False when the claim is void: it does not fit any more, its queue does not admit, or
// another workload is now first in a strict queue.
bool Round::renew(ItemId id, Claim& claim) {
    const Item& item = state_.items[id];
    const Queue& queue = *state_.queues[item.queue];
    if (!queue.spec.admits) return false;
    if (const ItemId head = queue.spec.policy.strict_fifo ? head_of(queue) : id; head != id) {
        // What it preempted others for goes to the head: that is as if the head had preempted it.
        state_.history.note_preemption(root_, head, id, now_);
        return false;
    }
    if (claim.stale) {
        Asked asked = ask_for(id, Effort::kAfterEvictions);
        asked.may_shrink = false;
        Assignment again = assign(state_, asked);
        if (!again.fits()) return false;
        claim.grant = std::move(again.grant);
        claim.stale = false;
    }
    if (!state_.tree.fits(*queue.node, claim.grant.usage, View::kFuture)) return false;
    state_.tree.add_usage(*queue.node, claim.grant.usage, View::kFuture, 1);
    return true;
}

// Other flavors may be free by now. Counts it in the future in the claim's place.
std::optional<Grant> Round::find_other_grant(ItemId id, const Claim& claim) {
    const NodeId node = node_of(state_.items[id]);
    Asked asked = ask_for(id, Effort::kAtOnce);
    asked.may_shrink = false;
    state_.tree.add_usage(node, claim.grant.usage, View::kFuture, -1);
    Assignment other = assign(state_, asked);
    state_.tree.add_usage(node, other.fits() ? other.grant.usage : claim.grant.usage, View::kFuture, 1);
    return other.fits() ? std::optional(std::move(other.grant)) : std::nullopt;
}

void Round::make_claim(Cursor& cursor) {
    const Head head = *cursor.heads.begin();
    tell_pending_evictions(*head.bucket, std::move(cursor.assignment.why));
    state_.tree.add_usage(node_of(cursor), cursor.assignment.grant.usage, View::kFuture, 1);
    Claim& claim = state_.queues[cursor.queue]->claims[head.key.item];
    claim.grant = std::move(cursor.assignment.grant);
    claim.order = ++state_.claims_made;
    ++changes_;
    advance(cursor);
    if (is_strict(cursor)) tell_behind(cursor);
}

}  // namespace muster::controllers::queue
