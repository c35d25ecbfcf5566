#include "controllers/queue/admission/engine/preempt.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"

namespace muster::controllers::queue {
namespace {

enum class Variant { kWithinQueue, kByPlace, kWithoutBorrowing, kWhileBorrowing };

struct Candidate {
    ItemId item;
    Variant variant;
    NodeId meeting;  // the lowest cohort above both queues
};

PreemptReason reason_for(Variant variant) {
    switch (variant) {
        case Variant::kWithinQueue: return PreemptReason::kInClusterQueue;
        case Variant::kWhileBorrowing: return PreemptReason::kInCohortReclaimWhileBorrowing;
        case Variant::kByPlace:
        case Variant::kWithoutBorrowing: break;
    }
    return PreemptReason::kInCohortReclamation;
}

class ClassicalSearch {
public:
    ClassicalSearch(EngineState& state, const PreemptRequest& request)
        : state_(state), request_(request), queue_(*state.queues[request.queue]), node_(*queue_.node) {}

    std::vector<Target> run() {
        collect();
        if (candidates_.empty()) return {};
        const bool forbidden = !queue_.spec.policy.borrow_while_preempting;
        if (from_others_ == 0 || (forbidden && !under_nominal())) return attempt(true);
        if (forbidden && by_place_ == 0) return either(false);
        return either(true);
    }

private:
    std::vector<Target> either(bool borrowing_first) {
        std::vector<Target> targets = attempt(borrowing_first);
        return targets.empty() ? attempt(!borrowing_first) : targets;
    }

    // Candidates in queues over which this queue has an advantage by its place in the tree, then those of lower
    // priority elsewhere, then those in this queue.
    void collect() {
        std::vector<Candidate> by_place;
        std::vector<Candidate> by_priority;
        collect_from_cohort(by_place, by_priority);
        std::vector<Candidate> own;
        collect_from(request_.queue, node_, false, own);
        by_place_ = by_place.size();
        from_others_ = by_place.size() + by_priority.size();
        for (std::vector<Candidate>* part : {&by_place, &by_priority, &own}) {
            std::sort(part->begin(), part->end(), [this](const Candidate& left, const Candidate& right) {
                return is_preempted_before(state_, request_.queue, left.item, right.item);
            });
            candidates_.insert(candidates_.end(), part->begin(), part->end());
        }
    }

    void collect_from_cohort(std::vector<Candidate>& by_place, std::vector<Candidate>& by_priority) {
        if (!state_.tree.parent(node_) || queue_.spec.policy.reclaim == PreemptPolicy::kNever) return;
        Usage rest = request_.usage;
        bool advantage = take_own(node_, rest);
        NodeId done = node_;
        for (auto above = state_.tree.parent(node_); above; above = state_.tree.parent(*above)) {
            collect_below(*above, *above, done, advantage, advantage ? by_place : by_priority);
            // Once a subtree has quota enough, this queue comes before everybody who borrows from that subtree.
            advantage = take_own(*above, rest) || advantage;
            done = *above;
        }
    }
    // Whether the node's own quota is enough for `rest`. Subtracts the node's local quota, which it does not lend, from
    // `rest`.
    bool take_own(NodeId node, Usage& rest) const {
        bool fits = true;
        for (Use& use : rest) {
            if (state_.tree.borrows_with(node, use.slot, use.amount, View::kFuture)) fits = false;
            use.amount =
                std::max<Amount>(0, minus(use.amount, state_.tree.local_available(node, use.slot, View::kFuture)));
        }
        return fits;
    }
    void collect_below(NodeId node, NodeId meeting, NodeId skip, bool advantage, std::vector<Candidate>& out) {
        for (const NodeId child : state_.tree.children(node)) {
            if (child == skip || state_.tree.within_nominal(child, request_.slots, View::kFuture)) continue;
            if (!state_.tree.is_queue(child))
                collect_below(child, meeting, skip, advantage, out);
            else if (const auto queue = state_.queue_of_node[child])
                collect_from(*queue, meeting, advantage, out);
        }
    }
    void collect_from(QueueId from, NodeId meeting, bool advantage, std::vector<Candidate>& out) {
        const bool own = from == request_.queue;
        const PreemptPolicy policy = own ? queue_.spec.policy.within_queue : queue_.spec.policy.reclaim;
        if (policy == PreemptPolicy::kNever) return;
        for (const HolderKey& holder : state_.queues[from]->holders) {
            if (policy != PreemptPolicy::kAny && holder.priority > request_.priority) break;
            const Item& item = state_.items[holder.item];
            if (item.evicting || !may_preempt(policy, request_, item)) continue;
            if (own ? !uses_any(item, request_.slots) : !uses_borrowed(state_, request_, item, meeting)) continue;
            if (is_spared(state_, request_, holder.item)) continue;
            out.push_back({holder.item, own ? Variant::kWithinQueue : variant_of(item, advantage), meeting});
        }
    }
    Variant variant_of(const Item& item, bool advantage) const {
        if (advantage) return Variant::kByPlace;
        const QueuePolicy& policy = queue_.spec.policy;
        if (!policy.borrow_while_preempting || item.priority >= request_.priority) return Variant::kWithoutBorrowing;
        if (policy.borrow_priority_max && item.priority > *policy.borrow_priority_max)
            return Variant::kWithoutBorrowing;
        return Variant::kWhileBorrowing;
    }

    bool under_nominal() const {
        return std::all_of(request_.slots.begin(), request_.slots.end(), [this](Slot slot) {
            return state_.tree.usage(node_, slot, View::kFuture) < state_.tree.nominal(node_, slot);
        });
    }
    bool fits(bool borrowing) const {
        if (!borrowing)
            for (const Use& use : request_.usage)
                if (state_.tree.borrows_with(node_, use.slot, use.amount, View::kFuture)) return false;
        return state_.tree.fits(node_, request_.usage, View::kFuture);
    }
    // Preempting one may bring another's queue, or a cohort above it, back within its quota.
    bool still_valid(const Candidate& candidate, bool borrowing) const {
        const Item& item = state_.items[candidate.item];
        if (item.queue == request_.queue) return true;
        if (borrowing && candidate.variant == Variant::kWithoutBorrowing) return false;
        return uses_borrowed(state_, request_, item, candidate.meeting);
    }
    std::vector<Target> attempt(bool borrowing) {
        Removal removal(state_);
        for (const Candidate& candidate : candidates_) {
            if (!still_valid(candidate, borrowing)) continue;
            removal.remove({candidate.item, reason_for(candidate.variant)});
            if (fits(borrowing)) return removal.minimize([&] { return fits(borrowing); });
        }
        return {};
    }

    EngineState& state_;
    const PreemptRequest& request_;
    const Queue& queue_;
    NodeId node_;
    std::vector<Candidate> candidates_;
    std::size_t by_place_ = 0;
    std::size_t from_others_ = 0;
};

}  // namespace

const char* format_reason(PreemptReason reason) {
    namespace kueue = api::kueue;
    switch (reason) {
        case PreemptReason::kInClusterQueue: return kueue::kPreemptedInClusterQueue;
        case PreemptReason::kInCohortReclamation: return kueue::kPreemptedInCohortReclamation;
        case PreemptReason::kInCohortFairSharing: return kueue::kPreemptedInCohortFairSharing;
        case PreemptReason::kInCohortReclaimWhileBorrowing: return kueue::kPreemptedInCohortReclaimWhileBorrowing;
    }
    return "";
}

bool may_preempt(PreemptPolicy policy, const PreemptRequest& request, const Item& candidate) {
    switch (policy) {
        case PreemptPolicy::kNever: return false;
        case PreemptPolicy::kAny: return true;
        case PreemptPolicy::kLowerPriority: return candidate.priority < request.priority;
        case PreemptPolicy::kLowerOrNewerEqualPriority:
            return candidate.priority < request.priority ||
                   (candidate.priority == request.priority && request.ordered_at < candidate.ordered_at);
    }
    return false;
}

bool is_spared(EngineState& state, const PreemptRequest& request, ItemId id) {
    const auto look_again = [&](std::optional<Instant> at) {
        if (at && (!state.look_again_at || *at < *state.look_again_at)) state.look_again_at = at;
        return true;
    };
    const Item& candidate = state.items[id];
    if (candidate.admitted_now) return look_again(request.now);
    // Within a queue priority and time decide: there is no circle of such preemptions alone, and none is held back.
    if (candidate.queue != request.queue && request.preemptors && request.preemptors->items.contains(id)) {
        state.circle_found = true;
        return look_again(request.preemptors->until);
    }
    const std::optional<Instant> until = spared_until(candidate.preempted_at, request.now);
    return until && look_again(until);
}

std::optional<Instant> spared_until(const std::vector<Instant>& preempted_at, Instant now) {
    const auto recent = [now](Instant at) { return at <= now && now < at + kPreemptionsWindow; };
    const auto count = std::count_if(preempted_at.begin(), preempted_at.end(), recent);
    if (count < kPreemptionsMax) return std::nullopt;
    return *std::find_if(preempted_at.begin(), preempted_at.end(), recent) + kPreemptionsWindow;
}

bool uses_any(const Item& item, const std::vector<Slot>& slots) {
    return std::any_of(item.usage.begin(), item.usage.end(), [&](const Use& use) {
        return use.amount > 0 && std::find(slots.begin(), slots.end(), use.slot) != slots.end();
    });
}

bool uses_borrowed(const EngineState& state, const PreemptRequest& request, const Item& candidate,
                   std::optional<NodeId> below) {
    const auto is_borrowed = [&](Slot slot) {
        std::optional<NodeId> node = state.queues[candidate.queue]->node;
        if (!below) return state.tree.borrows_with(*node, slot, 0, View::kFuture);
        for (; node && *node != *below; node = state.tree.parent(*node))
            if (!state.tree.borrows_with(*node, slot, 0, View::kFuture)) return false;
        return true;
    };
    return std::any_of(candidate.usage.begin(), candidate.usage.end(), [&](const Use& use) {
        return use.amount > 0 &&
               std::find(request.slots.begin(), request.slots.end(), use.slot) != request.slots.end() &&
               is_borrowed(use.slot);
    });
}

bool is_preempted_before(const EngineState& state, QueueId preemptor, ItemId left, ItemId right) {
    const Item& a = state.items[left];
    const Item& b = state.items[right];
    const bool a_own = a.queue == preemptor;
    const bool b_own = b.queue == preemptor;
    if (a_own != b_own) return b_own;
    return HolderKey{a.priority, a.reserved_at, a.uid, left} < HolderKey{b.priority, b.reserved_at, b.uid, right};
}

std::vector<Target> find_targets(EngineState& state, const PreemptRequest& request) {
    if (state.fair.enabled) return find_fair_targets(state, request);
    return ClassicalSearch(state, request).run();
}

}  // namespace muster::controllers::queue
