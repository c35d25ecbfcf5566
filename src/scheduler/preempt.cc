#include "scheduler/preempt.h"

#include <algorithm>
#include <tuple>

namespace muster::scheduler {
namespace {

using api::core::Pod;

constexpr std::size_t kCandidatesMin = 100;
constexpr std::size_t kCandidatesPercent = 10;

api::Time start_of(const Pod& pod) {
    return pod.status.start_time ? *pod.status.start_time : pod.metadata.creation_timestamp;
}

bool more_important(const PlacedPod* left, const PlacedPod* right) {
    const std::int32_t left_priority = priority_of(*left->pod);
    const std::int32_t right_priority = priority_of(*right->pod);
    if (left_priority != right_priority) return left_priority > right_priority;
    if (!(start_of(*left->pod) == start_of(*right->pod))) return start_of(*left->pod) < start_of(*right->pod);
    return left->pod->metadata.uid < right->pod->metadata.uid;
}

bool goes_for_preemption(const Pod& pod) {
    if (!pod.metadata.deletion_timestamp) return false;
    for (const auto& condition : pod.status.conditions)
        if (condition.type == "DisruptionTarget")
            return condition.status == "True" && condition.reason == "PreemptionByScheduler";
    return false;
}

struct Budget {
    Text namespace_;
    api::LabelSelector selector;
    std::int64_t left;
    const api::policy::PodDisruptionBudget* from;
};

std::vector<Budget> compile_budgets(const Budgets& budgets) {
    std::vector<Budget> compiled;
    for (const auto& budget : budgets) {
        auto selector = api::LabelSelector::from(budget->spec.selector.get());
        // Here an empty selector takes nothing, as it does upstream.
        if (!selector.ok() || selector->is_everything()) continue;
        compiled.push_back(
            {budget->metadata.namespace_, *std::move(selector), budget->status.disruptions_allowed, budget.get()});
    }
    return compiled;
}

// Whether removing the pod, after those asked about before, takes more than a budget allows.
bool violates_budget(std::vector<Budget>& budgets, const Pod& pod) {
    bool violated = false;
    for (Budget& budget : budgets) {
        if (!(budget.namespace_ == pod.metadata.namespace_) || !budget.selector.matches(pod.metadata.labels)) continue;
        // It has been paid for when its eviction was granted.
        if (budget.from->status.disrupted_pods.contains(pod.metadata.name)) continue;
        violated |= --budget.left < 0;
    }
    return violated;
}

struct Candidate {
    std::size_t node;
    std::vector<const PlacedPod*> victims;  // the most important first
    std::size_t violations = 0;

    auto cost() const {
        std::int64_t priorities = 0;
        api::Time earliest = start_of(*victims.front()->pod);
        const std::int32_t highest = priority_of(*victims.front()->pod);
        for (const PlacedPod* victim : victims) {
            // Made positive, so that more victims are worse whatever their priorities are.
            priorities += static_cast<std::int64_t>(priority_of(*victim->pod)) + (std::int64_t{1} << 31);
            if (priority_of(*victim->pod) == highest) earliest = std::min(earliest, start_of(*victim->pod));
        }
        return std::tuple(violations, highest, priorities, victims.size(), -earliest.unix_seconds(), node);
    }
};

// Tries one node: takes away all pods of lower priority, then gives back as many as fit, those under a violated budget
// first.
struct NodeTrial {
    PodClass& kind;
    std::size_t node;
    Room room;
    std::vector<const PlacedPod*> gone;

    NodeTrial(PodClass& of, std::size_t on) : kind(of), node(on), room(of.board().rooms[on]) {}

    void take_lower(std::int32_t priority) {
        for (const PlacedPod& placed : room.node->pods)
            if (priority_of(*placed.pod) < priority) gone.push_back(&placed);
        for (const PlacedPod* placed : gone) room.remove(*placed->shape);
        std::sort(gone.begin(), gone.end(), more_important);
    }
    bool give_back(const PlacedPod* placed) {
        room.add(*placed->shape);
        const auto at = std::find(gone.begin(), gone.end(), placed);
        const auto index = at - gone.begin();
        gone.erase(at);
        if (!kind.check_without(room, gone)) return true;
        room.remove(*placed->shape);
        gone.insert(gone.begin() + index, placed);
        return false;
    }
    Candidate choose_victims(std::vector<Budget> budgets) {
        std::vector<const PlacedPod*> guarded;
        std::vector<const PlacedPod*> free;
        for (const PlacedPod* placed : gone)
            (violates_budget(budgets, *placed->pod) ? guarded : free).push_back(placed);
        Candidate candidate{node, {}, 0};
        for (const PlacedPod* placed : guarded)
            if (!give_back(placed)) ++candidate.violations;
        for (const PlacedPod* placed : free) give_back(placed);
        candidate.victims = gone;
        return candidate;
    }
};

bool waits_for_victims(PodClass& kind, const Pod& pod) {
    const auto nominated = kind.board().find(pod.status.nominated_node_name);
    if (!nominated) return false;
    const Refused refused = kind.check(*nominated);
    if (refused && !refused.preemption_may_help) return false;
    const auto& pods = kind.board().rooms[*nominated].node->pods;
    return std::any_of(pods.begin(), pods.end(), [&](const PlacedPod& placed) {
        return priority_of(*placed.pod) < priority_of(pod) && goes_for_preemption(*placed.pod);
    });
}

}  // namespace

PreemptionPlan decide_preemption(PodClass& kind, const Pod& pod, const Budgets& budgets) {
    PreemptionPlan plan;
    if (pod.spec.preemption_policy && *pod.spec.preemption_policy == "Never") {
        plan.message = "not eligible due to preemptionPolicy=Never.";
        return plan;
    }
    if (waits_for_victims(kind, pod)) {
        plan.message = "not eligible due to a terminating pod on the nominated node.";
        plan.node = kind.board().find(pod.status.nominated_node_name);
        plan.under_way = true;
        return plan;
    }
    const std::vector<Budget> compiled = compile_budgets(budgets);
    const std::size_t nodes = kind.board().rooms.size();
    const std::size_t enough = std::max(kCandidatesMin, nodes * kCandidatesPercent / 100);
    std::vector<Candidate> candidates;
    ReasonCount reasons;
    for (std::size_t node = 0; node < nodes && candidates.size() < enough; ++node) {
        const Refused refused = kind.check(node);
        if (refused && !refused.preemption_may_help) {
            reasons.add("Preemption is not helpful for scheduling");
            continue;
        }
        NodeTrial trial(kind, node);
        trial.take_lower(priority_of(pod));
        if (trial.gone.empty()) {
            reasons.add("No preemption victims found for incoming pod");
            continue;
        }
        const Refused still = kind.check_without(trial.room, trial.gone);
        if (still) {
            reasons.add(still);
            continue;
        }
        candidates.push_back(trial.choose_victims(compiled));
        if (candidates.back().victims.empty()) candidates.pop_back();
    }
    if (candidates.empty()) {
        plan.message = reasons.format(nodes);
        return plan;
    }
    const auto best = std::min_element(candidates.begin(), candidates.end(),
                                       [](const Candidate& a, const Candidate& b) { return a.cost() < b.cost(); });
    plan.node = best->node;
    for (const PlacedPod* victim : best->victims) plan.victims.push_back(victim->pod);
    return plan;
}

}  // namespace muster::scheduler
