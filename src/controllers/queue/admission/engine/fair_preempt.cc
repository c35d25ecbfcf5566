// Preemption under fair sharing. Each step preempts in the queue that borrows most for its weight, as long as the
// preemptor's share is then no larger than that queue's share after the preemption (first rule) or smaller than its
// share before it (second rule).
#include <algorithm>
#include <map>
#include <set>

#include "controllers/queue/admission/engine/preempt.h"

namespace muster::controllers::queue {
namespace {

class FairSearch {
public:
    FairSearch(EngineState& state, const PreemptRequest& request)
        : state_(state), request_(request), queue_(*state.queues[request.queue]), node_(*queue_.node) {}

    std::vector<Target> run() {
        std::vector<ItemId> candidates = collect();
        if (candidates.empty()) return {};
        Removal removal(state_);
        // Shares are compared as they would be with the workload admitted.
        count_own(1);
        const bool both = state_.fair.less_or_equal_final_share && state_.fair.less_initial_share;
        std::vector<ItemId> rest;
        bool found = first_rule(candidates, removal, rest);
        if (!found && both) found = second_rule(rest, removal);
        count_own(-1);
        if (!found) return {};
        return removal.minimize(
            [this] { return state_.tree.fits(node_, request_.usage, View::kFuture) && is_fair_still(); });
    }

private:
    using ByQueue = std::map<NodeId, std::vector<ItemId>>;  // each in the order of preemption, from the back

    void count_own(int sign) { state_.tree.add_usage(node_, request_.usage, View::kFuture, sign); }
    bool fits_without_own() {
        count_own(-1);
        const bool fits = state_.tree.fits(node_, request_.usage, View::kFuture);
        count_own(1);
        return fits;
    }

    // When one of its own queue is given back after all, the preemptor's share is larger than it was when others were
    // taken from.
    bool is_fair_still() {
        count_own(1);
        const bool fair = std::all_of(taken_.begin(), taken_.end(), [this](const Taken& taken) {
            return Share::compare(state_.tree.share(taken.ours, View::kFuture), taken.theirs) < 0;
        });
        count_own(-1);
        return fair;
    }

    std::vector<ItemId> collect() const {
        std::vector<ItemId> out;
        const QueuePolicy& policy = queue_.spec.policy;
        add_from(request_.queue, policy.within_queue, out);
        if (state_.tree.parent(node_) && policy.reclaim != PreemptPolicy::kNever)
            add_below(state_.tree.root(node_), out);
        std::sort(out.begin(), out.end(), [this](ItemId left, ItemId right) {
            return is_preempted_before(state_, request_.queue, left, right);
        });
        return out;
    }
    void add_below(NodeId node, std::vector<ItemId>& out) const {
        for (const NodeId child : state_.tree.children(node)) {
            if (!state_.tree.is_queue(child)) {
                add_below(child, out);
            } else if (child != node_ && state_.queue_of_node[child] &&
                       !state_.tree.within_nominal(child, request_.slots, View::kFuture)) {
                add_from(*state_.queue_of_node[child], queue_.spec.policy.reclaim, out);
            }
        }
    }
    void add_from(QueueId from, PreemptPolicy policy, std::vector<ItemId>& out) const {
        const bool own = from == request_.queue;
        for (const HolderKey& holder : state_.queues[from]->holders) {
            const Item& item = state_.items[holder.item];
            if (item.evicting || !may_preempt(policy, request_, item)) continue;
            if (own ? !uses_any(item, request_.slots) : !uses_borrowed(state_, request_, item, {})) continue;
            if (!is_spared(state_, request_, holder.item)) out.push_back(holder.item);
        }
    }

    ByQueue by_queue(const std::vector<ItemId>& candidates) const {
        ByQueue out;
        for (auto item = candidates.rbegin(); item != candidates.rend(); ++item)
            out[*state_.queues[state_.items[*item].queue]->node].push_back(*item);
        return out;
    }
    bool is_above_preemptor(NodeId cohort) const {
        for (auto node = state_.tree.parent(node_); node; node = state_.tree.parent(*node))
            if (*node == cohort) return true;
        return false;
    }
    // The queue to take from next: down the tree, each time to the child with the largest share. Empty when there is
    // none left below.
    std::optional<NodeId> next_queue(NodeId cohort, const ByQueue& left) const {
        std::optional<NodeId> best;
        Share most;
        most.ratio = -1;
        std::optional<NodeId> found;
        for (const NodeId child : state_.tree.children(cohort)) {
            const Share share = state_.tree.share(child, View::kFuture);
            const bool queue = state_.tree.is_queue(child);
            const bool exempt = queue ? child == node_ : is_above_preemptor(child);
            if (!share.borrowing && !exempt) continue;
            const auto has = left.find(child);
            if (queue && (has == left.end() || has->second.empty())) continue;
            const int order = Share::compare(share, most);
            if (best && (order < 0 || (order == 0 && !is_preferred(child, *best, left)))) continue;
            const std::optional<NodeId> below = queue ? std::optional(child) : next_queue(child, left);
            if (!below) continue;
            best = child;
            most = share;
            found = below;
        }
        return found;
    }
    // Of two with the same share a cohort is chosen, and of two queues the one whose candidate goes first.
    bool is_preferred(NodeId child, NodeId best, const ByQueue& left) const {
        if (!state_.tree.is_queue(child)) return true;
        if (!state_.tree.is_queue(best)) return false;
        return is_preempted_before(state_, request_.queue, left.at(child).back(), left.at(best).back());
    }
    std::optional<NodeId> next(const ByQueue& left) const {
        if (state_.tree.parent(node_)) return next_queue(state_.tree.root(node_), left);
        const auto own = left.find(node_);
        return own == left.end() || own->second.empty() ? std::nullopt : std::optional(node_);
    }

    // The two nodes under the lowest cohort that is above both queues.
    std::pair<NodeId, NodeId> below_meeting(NodeId target) const {
        NodeId theirs = target;
        while (!is_above_preemptor(*state_.tree.parent(theirs))) theirs = *state_.tree.parent(theirs);
        const NodeId meeting = *state_.tree.parent(theirs);
        NodeId ours = node_;
        while (*state_.tree.parent(ours) != meeting) ours = *state_.tree.parent(ours);
        return {ours, theirs};
    }
    // Whether the preemptor will use less beyond its own than the other does now. Equal is not enough: each could then
    // take from the other for ever.
    bool uses_less(NodeId target) {
        const auto [ours, theirs] = below_meeting(target);
        const Share before = state_.tree.share(theirs, View::kFuture);
        if (Share::compare(state_.tree.share(ours, View::kFuture), before) >= 0) return false;
        taken_.push_back({ours, before});
        return true;
    }
    bool satisfies_first(NodeId target, ItemId item) {
        if (!state_.fair.less_or_equal_final_share) return uses_less(target);
        const auto [ours, theirs] = below_meeting(target);
        const Share own = state_.tree.share(ours, View::kFuture);
        const Usage& usage = state_.items[item].usage;
        state_.tree.add_usage(target, usage, View::kFuture, -1);
        const bool holds = Share::compare(own, state_.tree.share(theirs, View::kFuture)) <= 0;
        state_.tree.add_usage(target, usage, View::kFuture, 1);
        return holds && uses_less(target);
    }

    bool first_rule(const std::vector<ItemId>& candidates, Removal& removal, std::vector<ItemId>& rest) {
        ByQueue left = by_queue(candidates);
        // Quota of its own needs no comparison.
        const bool entitled = state_.tree.within_nominal(node_, request_.slots, View::kFuture);
        while (const auto target = next(left)) {
            std::vector<ItemId>& items = left[*target];
            const ItemId item = items.back();
            items.pop_back();
            PreemptReason reason = PreemptReason::kInCohortFairSharing;
            if (*target == node_)
                reason = PreemptReason::kInClusterQueue;
            else if (entitled)
                reason = PreemptReason::kInCohortReclamation;
            else if (!satisfies_first(*target, item)) {
                rest.push_back(item);
                continue;
            }
            removal.remove({item, reason});
            if (fits_without_own()) return true;
        }
        return false;
    }
    bool second_rule(const std::vector<ItemId>& candidates, Removal& removal) {
        ByQueue left = by_queue(candidates);
        while (const auto target = next(left)) {
            const ItemId item = left[*target].back();
            left.erase(*target);  // once from each queue
            if (!uses_less(*target)) continue;
            removal.remove({item, PreemptReason::kInCohortFairSharing});
            if (fits_without_own()) return true;
        }
        return false;
    }

    // What was compared when another was taken from: the preemptor's side, and the other's share as it was.
    struct Taken {
        NodeId ours;
        Share theirs;
    };

    EngineState& state_;
    const PreemptRequest& request_;
    const Queue& queue_;
    NodeId node_;
    std::vector<Taken> taken_;
};

}  // namespace

std::vector<Target> find_fair_targets(EngineState& state, const PreemptRequest& request) {
    return FairSearch(state, request).run();
}

}  // namespace muster::controllers::queue
