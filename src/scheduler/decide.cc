#include "scheduler/decide.h"

#include <algorithm>
#include <unordered_map>

#include "scheduler/board.h"
#include "scheduler/preempt.h"

namespace muster::scheduler {
namespace {

using api::core::Pod;

// The kinds of pods of a round. Which rules of others concern a pod depends on its labels; that they do is part of what
// kind it is, which labels it has is not: the pods of an Indexed Job all differ in one.
class PodClasses {
public:
    PodClasses(Board& board, const std::vector<PendingPod>& pods) : board_(board) {
        for (const auto& [key, set] : board.snapshot.term_sets()) others_.push_back(&set->terms);
        for (const PendingPod& pending : pods) {
            const ShapeRef shape = board.snapshot.shape_of(*pending.pod);
            if (has_rules(*shape)) (void)rules_of(shape, *pending.pod);
        }
    }

    PodClass& of(const PodRef& pod) {
        const ShapeRef shape = board_.snapshot.shape_of(*pod);
        const Rules* rules = has_rules(*shape) ? &rules_of(shape, *pod) : nullptr;
        const std::string concerns = concerns_of(*pod, rules);
        if (!rules && concerns.empty()) {
            std::unique_ptr<PodClass>& known = plain_[shape.get()];
            if (!known) known = std::make_unique<PodClass>(board_, pod, shape, nullptr, false);
            return *known;
        }
        std::unique_ptr<PodClass>& known = looking_[Snapshot::term_key(shape, *pod) + '|' + concerns];
        const PodTerms* terms = rules && shape->has_pod_terms() ? &rules->terms : nullptr;
        if (!known) known = std::make_unique<PodClass>(board_, pod, shape, terms, true);
        return *known;
    }

private:
    struct Rules {
        ShapeRef shape;
        PodTerms terms;
        std::vector<api::LabelSelector> spreads;
    };
    static bool has_rules(const PodShape& shape) { return shape.has_pod_terms() || !shape.spread.empty(); }

    const Rules& rules_of(const ShapeRef& shape, const Pod& pod) {
        std::unique_ptr<Rules>& rules = rules_[Snapshot::term_key(shape, pod)];
        if (rules) return *rules;
        rules = std::make_unique<Rules>();
        rules->shape = shape;
        rules->terms = compile_pod_terms(*shape, pod);
        for (const auto& constraint : shape->spread) rules->spreads.push_back(spread_selector(constraint, pod));
        if (shape->has_pod_terms()) others_.push_back(&rules->terms);
        return *rules;
    }
    // Empty when no rule of others is about the pod and it has none of its own.
    std::string concerns_of(const Pod& pod, const Rules* rules) const {
        const NamespaceLabels& namespaces = board_.snapshot.namespaces();
        std::string concerns;
        for (std::size_t i = 0; i < others_.size(); ++i)
            if (others_[i]->concern(pod, namespaces)) concerns += std::to_string(i) + ',';
        if (!rules) return concerns.empty() ? concerns : pod.metadata.namespace_.str() + ':' + concerns;
        for (const auto& selector : rules->spreads) concerns += selector.matches(pod.metadata.labels) ? 's' : '-';
        for (const PodTerm& term : rules->terms.affinity) concerns += term.matches(pod, namespaces) ? 'a' : '-';
        return concerns + '.';
    }

    Board& board_;
    std::vector<const PodTerms*> others_;
    std::unordered_map<std::string, std::unique_ptr<Rules>> rules_;
    std::unordered_map<const PodShape*, std::unique_ptr<PodClass>> plain_;
    std::unordered_map<std::string, std::unique_ptr<PodClass>> looking_;
};

class Round {
public:
    Round(const RoundView& view, const std::vector<PendingPod>& pods)
        : view_(view), board_(view.snapshot), classes_(board_, pods) {}

    void decide(const PendingPod& pending) {
        PodClass& kind = classes_.of(pending.pod);
        const Text& nominated = pending.pod->status.nominated_node_name;
        if (pending.only_reserves) {
            if (const auto node = board_.find(nominated)) kind.put(pending.pod, *node);
            return;
        }
        if (const auto node = kind.choose(nominated)) {
            kind.put(pending.pod, *node);
            plan.place.push_back({pending.pod, board_.rooms[*node].node->name});
            return;
        }
        refuse(kind, pending.pod);
    }

    RoundPlan plan;

private:
    void refuse(PodClass& kind, const PodRef& pod) {
        const PodClass::LastRefusal* last = kind.last_refusal();
        PodClass::LastRefusal now = last ? *last : explain(kind);
        Refusal refusal{pod, now.message, now.wakes, !kind.looks_around(), {}, {}};
        const bool never = pod->spec.preemption_policy && *pod->spec.preemption_policy == "Never";
        // Later pods have no higher priority: where preemption failed before, it fails again.
        const bool tried = now.preemption_failed && !never && pod->status.nominated_node_name.empty();
        if (tried) {
            refusal.message += *now.preemption_failed;
        } else if (!board_.rooms.empty()) {
            const PreemptionPlan preemption = decide_preemption(kind, *pod, view_.budgets);
            if (!preemption.message.empty()) refusal.message += " preemption: " + preemption.message;
            if (preemption.node) {
                refusal.nominated_node = board_.rooms[*preemption.node].node->name;
                refusal.victims = preemption.victims;
                refusal.wakes |= kWakeOnRoom;
                refusal.alike_too = false;
                kind.put(pod, *preemption.node);
            } else if (!never && pod->status.nominated_node_name.empty()) {
                now.preemption_failed = " preemption: " + preemption.message;
            }
        }
        kind.refused(std::move(now));
        plan.refuse.push_back(std::move(refusal));
    }

    PodClass::LastRefusal explain(PodClass& kind) {
        ReasonCount reasons;
        for (std::size_t i = 0; i < board_.rooms.size(); ++i) reasons.add(kind.check(i));
        return {board_.moves.size(), reasons.format(board_.rooms.size()), reasons.wakes() | kWakeOnNodes, {}};
    }

    const RoundView& view_;
    Board board_;
    PodClasses classes_;
};

}  // namespace

bool comes_before(const Pod& left, const Pod& right) {
    if (priority_of(left) != priority_of(right)) return priority_of(left) > priority_of(right);
    return left.metadata.creation_timestamp < right.metadata.creation_timestamp;
}

RoundPlan decide_round(const RoundView& view, std::vector<PendingPod> pods) {
    std::stable_sort(pods.begin(), pods.end(),
                     [](const PendingPod& a, const PendingPod& b) { return comes_before(*a.pod, *b.pod); });
    Round round(view, pods);
    for (const PendingPod& pending : pods) round.decide(pending);
    return std::move(round.plan);
}

}  // namespace muster::scheduler
