#include "controllers/queue/admission/engine/assign.h"

#include <algorithm>

#include "api/value/quantity_amount.h"

namespace muster::controllers::queue {
namespace {

struct Grade {
    Mode mode = Mode::kNoFit;
    int borrow = 0;
};

// What is asked of one group of resources for one pod set.
struct GroupAsk {
    const ResourceGroup* group;
    std::uint16_t pod_set;
    std::vector<std::pair<ResourceId, Amount>> totals;
};

struct GroupResult {
    Grade grade{Mode::kNoFit, 0};
    FlavorId flavor = 0;
    std::size_t tried = 0;  // index of the last flavor looked at
    std::vector<Slot> need_room{};
    std::vector<Obstruction> why{};
};

class Assigner {
public:
    Assigner(EngineState& state, const Asked& asked)
        : state_(state),
          asked_(asked),
          queue_(*state.queues[asked.queue]),
          policy_(queue_.spec.policy),
          node_(*queue_.node),
          shape_(*state.shapes[asked.shape]) {}

    Assignment run() {
        state_.circle_found = false;
        if (asked_.effort == Effort::kPreempt) preemptors_ = state_.history.find_preemptors(asked_.item, asked_.now);
        Assignment best = try_all();
        if (best.fits() || best.makes_room() || !state_.circle_found) return best;
        Obstruction circle;
        circle.obstacle = Obstacle::kCircle;
        best.why.push_back(std::move(circle));
        return best;
    }

private:
    Assignment try_all() {
        std::vector<std::int32_t> counts;
        for (const PodSetShape& pods : shape_.pod_sets) counts.push_back(pods.count);
        Assignment whole = try_counts(counts);
        if (whole.fits() || whole.makes_room() || !asked_.may_shrink || !shape_.may_shrink()) return whole;
        return shrink(std::move(whole));
    }
    // The largest counts that can be had: how many pods go is searched by halves, shared out over the sets.
    Assignment shrink(Assignment whole) {
        std::int64_t most = 0;
        for (const PodSetShape& pods : shape_.pod_sets) most += pods.count - pods.min_count;
        std::int64_t low = 1;
        std::int64_t high = most + 1;
        std::optional<Assignment> best;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            std::vector<std::int32_t> counts;
            for (const PodSetShape& pods : shape_.pod_sets)
                counts.push_back(pods.count -
                                 static_cast<std::int32_t>(api::Wide{pods.count - pods.min_count} * middle / most));
            Assignment smaller = try_counts(counts);
            if (smaller.fits() || smaller.makes_room()) {
                best = std::move(smaller);
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return best ? std::move(*best) : std::move(whole);
    }

    // If a flavor was chosen because preemption seemed possible, but no set of victims frees all resources together,
    // the next flavors are tried.
    Assignment try_counts(const std::vector<std::int32_t>& counts) {
        first_flavor_.clear();
        std::optional<Assignment> first;
        for (;;) {
            Assignment assignment = try_once(counts);
            if (assignment.mode == Mode::kPreempt || assignment.mode == Mode::kReclaim ||
                assignment.mode == Mode::kNoCandidates)
                find_room(assignment);
            if (assignment.fits() || assignment.makes_room()) return assignment;
            if (!first) first = std::move(assignment);
            if (!skip_tried()) return std::move(*first);
        }
    }
    void find_room(Assignment& assignment) {
        if (assignment.mode == Mode::kNoCandidates) return;
        PreemptRequest request = make_request();
        request.slots = need_room_;
        request.usage = assignment.grant.usage;
        assignment.targets = find_targets(state_, request);
        if (assignment.targets.empty()) assignment.mode = Mode::kNoCandidates;
    }
    PreemptRequest make_request() const {
        PreemptRequest request;
        request.queue = asked_.queue;
        request.preemptors = &preemptors_;
        request.priority = asked_.priority;
        request.ordered_at = asked_.ordered_at;
        request.now = asked_.now;
        return request;
    }
    bool skip_tried() {
        bool progress = false;
        for (const auto& [key, tried] : tried_) {
            const ResourceGroup& group = *key.second;
            if (tried.grade.mode == Mode::kFit || tried.tried + 1 >= group.flavors.size()) continue;
            first_flavor_[key] = tried.tried + 1;
            progress = true;
        }
        return progress;
    }

    Assignment try_once(const std::vector<std::int32_t>& counts) {
        Assignment out;
        out.mode = Mode::kFit;
        need_room_.clear();
        tried_.clear();
        const auto pod_sets = static_cast<std::uint16_t>(shape_.pod_sets.size());
        for (std::uint16_t i = 0; i < pod_sets; ++i) {
            if (assign_pod_set(i, counts[i], out)) continue;
            out.mode = Mode::kNoFit;
            return out;
        }
        return out;
    }
    bool assign_pod_set(std::uint16_t index, std::int32_t count, Assignment& out) {
        PodSetChoice choice;
        choice.count = count;
        for (const GroupAsk& ask : group_asks(index, count, out)) {
            if (!ask.group) return false;
            GroupResult result = find_flavor(ask, out.grant.usage);
            const auto key = std::make_pair(index, ask.group);
            out.why.insert(out.why.end(), result.why.begin(), result.why.end());
            if (result.grade.mode == Mode::kNoFit) return false;
            out.mode = std::min(out.mode, result.grade.mode);
            out.grant.borrow = std::max(out.grant.borrow, result.grade.borrow);
            for (const auto& [resource, total] : ask.totals) {
                choice.choices.push_back({resource, result.flavor, total});
                add_use(out.grant.usage, state_.names.slot(result.flavor, resource), total);
            }
            for (const Slot slot : result.need_room)
                if (std::find(need_room_.begin(), need_room_.end(), slot) == need_room_.end())
                    need_room_.push_back(slot);
            tried_[key] = std::move(result);
        }
        out.grant.pod_sets.push_back(std::move(choice));
        return true;
    }
    // The last has no group when the queue has no quota for something that is needed.
    std::vector<GroupAsk> group_asks(std::uint16_t index, std::int32_t count, Assignment& out) {
        std::vector<GroupAsk> asks;
        const auto ask_for = [&](const ResourceGroup* group, ResourceId resource, Amount total) {
            auto found =
                std::find_if(asks.begin(), asks.end(), [&](const GroupAsk& ask) { return ask.group == group; });
            if (found == asks.end()) found = asks.insert(found, {group, index, {}});
            found->totals.emplace_back(resource, total);
        };
        const ResourceId pods = state_.names.resource("pods");
        if (const ResourceGroup* group = group_of(pods)) ask_for(group, pods, count);
        for (const auto& [resource, amount] : shape_.pod_sets[index].per_pod) {
            const ResourceId* id = state_.names.find_resource(resource);
            const ResourceGroup* group = id ? group_of(*id) : nullptr;
            if ((id && *id == pods) || (!group && amount == 0)) continue;
            if (!group) {
                out.why.push_back({Obstacle::kNoSuchResource, index, 0, 0, 0, 0, resource.str()});
                asks.push_back({nullptr, index, {}});
                return asks;
            }
            ask_for(group, *id, times(amount, count));
        }
        return asks;
    }
    const ResourceGroup* group_of(ResourceId resource) const {
        for (const ResourceGroup& group : policy_.groups)
            if (std::find(group.resources.begin(), group.resources.end(), resource) != group.resources.end())
                return &group;
        return nullptr;
    }

    GroupResult find_flavor(const GroupAsk& ask, const Usage& assumed) {
        GroupResult best;
        const auto start = first_flavor_.find({ask.pod_set, ask.group});
        std::size_t index = start == first_flavor_.end() ? 0 : start->second;
        std::vector<Obstruction> why;
        std::size_t tried = index;
        for (; index < ask.group->flavors.size(); ++index) {
            tried = index;
            const FlavorId flavor = ask.group->flavors[index];
            if (!check_placement(ask.pod_set, flavor, why)) continue;
            GroupResult here = judge_flavor(ask, flavor, assumed, why);
            if (stops_at(here.grade)) {
                best = std::move(here);
                break;
            }
            if (is_better(here.grade, best.grade)) best = std::move(here);
        }
        best.tried = tried;
        if (best.grade.mode != Mode::kFit) best.why = std::move(why);
        return best;
    }
    bool check_placement(std::uint16_t pod_set, FlavorId flavor, std::vector<Obstruction>& why) {
        const auto known = state_.flavors.find(flavor);
        if (known == state_.flavors.end()) {
            why.push_back({Obstacle::kFlavorMissing, pod_set, 0, flavor, 0, 0, {}});
            return false;
        }
        const auto [found, is_new] = state_.mismatches.try_emplace({asked_.shape, pod_set, flavor});
        if (is_new)
            found->second =
                find_mismatch(shape_.pod_sets[pod_set].placement, known->second, state_.names.flavor_name(flavor));
        if (found->second.empty()) return true;
        why.push_back({Obstacle::kMismatch, pod_set, 0, flavor, 0, 0, found->second});
        return false;
    }
    GroupResult judge_flavor(const GroupAsk& ask, FlavorId flavor, const Usage& assumed,
                             std::vector<Obstruction>& why) {
        GroupResult result;
        result.grade = {Mode::kFit, 0};
        result.flavor = flavor;
        for (const auto& [resource, total] : ask.totals) {
            const Slot slot = state_.names.slot(flavor, resource);
            Amount amount = total;
            for (const Use& use : assumed)
                if (use.slot == slot) amount = plus(amount, use.amount);
            const Grade grade = judge_slot(slot, amount, minus(amount, total), ask.pod_set, why);
            // The worst of each: one resource may have to be borrowed, and room made for another.
            result.grade.mode = std::min(result.grade.mode, grade.mode);
            result.grade.borrow = std::max(result.grade.borrow, grade.borrow);
            if (grade.mode == Mode::kNoFit) break;
            if (grade.mode != Mode::kFit) result.need_room.push_back(slot);
        }
        return result;
    }
    Grade judge_slot(Slot slot, Amount amount, Amount assumed, std::uint16_t pod_set, std::vector<Obstruction>& why) {
        Obstruction obstruction;
        obstruction.pod_set = pod_set;
        obstruction.resource = state_.names.resource_of(slot);
        obstruction.flavor = state_.names.flavor_of(slot);
        obstruction.asked = amount;
        obstruction.assumed = assumed;
        if (amount <= 0) return {Mode::kFit, 0};
        const Amount potential = state_.tree.potential(node_, slot);
        if (amount > potential) {
            obstruction.obstacle = Obstacle::kBeyondCapacity;
            obstruction.amount = potential;
            why.push_back(std::move(obstruction));
            return {Mode::kNoFit, 0};
        }
        const Height height = state_.tree.lowest_fit(node_, slot, amount, View::kFuture);
        Amount available = state_.tree.available(node_, slot, View::kFuture);
        if (asked_.effort == Effort::kAtOnce)
            available = std::min(available, state_.tree.available(node_, slot, View::kNow));
        available = std::max<Amount>(0, available);
        if (amount <= available) return {Mode::kFit, height.height};
        obstruction.amount = minus(amount, available);
        why.push_back(std::move(obstruction));
        if (asked_.effort != Effort::kPreempt) return {Mode::kNoFit, height.height};
        if (amount <= state_.tree.nominal(node_, slot) || height.below_root || preempts_while_borrowing())
            return simulate(slot, amount);
        return {Mode::kNoFit, height.height};
    }
    bool preempts_while_borrowing() const {
        return policy_.borrow_while_preempting || (state_.fair.enabled && policy_.reclaim != PreemptPolicy::kNever);
    }
    // Whether preemption would make room for this alone.
    Grade simulate(Slot slot, Amount amount) {
        PreemptRequest request = make_request();
        request.slots = {slot};
        request.usage = {{slot, amount}};
        const std::vector<Target> targets = find_targets(state_, request);
        Removal removal(state_);
        for (const Target& target : targets) removal.remove(target);
        const int height = state_.tree.lowest_fit(node_, slot, amount, View::kFuture).height;
        if (targets.empty()) return {Mode::kNoCandidates, height};
        const bool own = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
            return state_.items[target.item].queue == asked_.queue;
        });
        return {own ? Mode::kPreempt : Mode::kReclaim, height};
    }

    bool stops_at(const Grade& grade) const {
        if (grade.mode <= Mode::kNoCandidates) return false;
        if (grade.mode != Mode::kFit && policy_.next_flavor_rather_than_preempt) return false;
        return grade.borrow == 0 || !policy_.next_flavor_rather_than_borrow;
    }
    bool is_better(const Grade& left, const Grade& right) const {
        if (left.mode == Mode::kNoFit || right.mode == Mode::kNoFit) return left.mode > right.mode;
        if ((left.mode == Mode::kNoCandidates) != (right.mode == Mode::kNoCandidates)) return left.mode > right.mode;
        if (policy_.preempt_rather_than_borrow && left.borrow != right.borrow) return left.borrow < right.borrow;
        return left.mode != right.mode ? left.mode > right.mode : left.borrow < right.borrow;
    }

    EngineState& state_;
    const Asked& asked_;
    const Queue& queue_;
    const QueuePolicy& policy_;
    NodeId node_;
    const Shape& shape_;
    Preemptors preemptors_;
    std::vector<Slot> need_room_;
    std::map<std::pair<std::uint16_t, const ResourceGroup*>, GroupResult> tried_;
    std::map<std::pair<std::uint16_t, const ResourceGroup*>, std::size_t> first_flavor_;
};

}  // namespace

Assignment assign(EngineState& state, const Asked& asked) { return Assigner(state, asked).run(); }

}  // namespace muster::controllers::queue
