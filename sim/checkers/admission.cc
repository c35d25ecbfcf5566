// The rules beside quota. Nothing is admitted before all its checks are Ready, and all that its queue demands are
// there; nothing gets quota that is switched off, waits for replacements, or for its backoff. Once all is healed
// nothing holds quota that has been switched off, rejected or drained for a while, and what is evicted gives it back.
#include <algorithm>
#include <map>

#include "api/kinds/kueue/cluster_queue.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"
#include "sim/world/queueing.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;

constexpr Duration kInGoodTime = 10s;
constexpr Duration kStopsWithin = 60s;  // with what a node that does not answer is waited for

class Admission final : public Checker {
public:
    std::string_view name() const override { return "admission"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<ClusterQueue>() && generation_changed(change))
            queue_since_[name_of(change)] = world.loop.uptime();
        if (change.is<QueuedWork>() && !change.now) since_.erase(change.before_as<QueuedWork>()->metadata.uid);
        if (change.is<QueuedWork>() && change.now) {
            const QueuedWork& work = *change.now_as<QueuedWork>();
            const QueuedWork* before = change.before_as<QueuedWork>();
            since_[work.metadata.uid] = world.loop.uptime();
            if (holds_quota(work) && !(before && holds_quota(*before))) check_reserved(world, work, before);
            if (is_in(work) && !(before && is_in(*before))) check_admitted(world, work);
            check_requeues(world, work);
        }
        if (decision_age_max(world) <= 3s || (healed_at_ && *healed_at_ + patience(world) < world.loop.uptime()))
            check_late(world);
    }
    void on_healed(World& world) override { healed_at_ = world.loop.uptime(); }
    void at_rest(World& world) override { check_late(world); }

private:
    static bool is_in(const QueuedWork& work) { return has_condition(work, "Admitted"); }
    static Text name_of(const Change& change) {
        return (change.now ? change.now_as<ClusterQueue>() : change.before_as<ClusterQueue>())->metadata.name;
    }
    static bool generation_changed(const Change& change) {
        return !change.before || !change.now ||
               change.before_as<ClusterQueue>()->metadata.generation !=
                   change.now_as<ClusterQueue>()->metadata.generation;
    }
    bool stands(const World& world, const Text& queue, Duration span) const {
        const auto since = queue_since_.find(queue);
        return since != queue_since_.end() && since->second + span < world.loop.uptime();
    }

    void check_reserved(World& world, const QueuedWork& work, const QueuedWork* before) {
        const auto wrong = [&](std::string what) { world.fail(name(), work.metadata.name, "gets quota, and " + what); };
        if (!work.spec.active.value_or(true)) wrong("is switched off");
        if (has_condition(work, "WaitingForReplacementPods")) wrong("waits for pods that are missing");
        const auto* requeued = find_condition(work, "Requeued");
        if (requeued && requeued->status == "False") wrong("is not back in its queue");
        if (before) check_backoff(world, work, *before);
    }
    // Evicted as its pods were not ready: base, twice that, and so on.
    void check_backoff(World& world, const QueuedWork& work, const QueuedWork& before) {
        const auto* evicted = find_condition(before, "Evicted");
        if (!evicted || !(evicted->status == "True") || !(evicted->reason == "PodsReadyTimeout")) return;
        if (has_fault(world, {"clock"}) || world.settings().number("skew_ms", 0) != 0) return;
        const std::int32_t count = before.status.requeue_state ? before.status.requeue_state->count.value_or(0) : 0;
        std::int64_t delay = kReadyBackoffBase;
        for (std::int32_t i = 1; i < count; ++i) delay = std::min<std::int64_t>(2 * delay, kReadyBackoffMax);
        const Instant from = evicted->last_transition_time.instant();
        const Instant at = find_condition(work, "QuotaReserved")->last_transition_time.instant();
        if (at - from < std::chrono::seconds(delay - 1))
            world.fail(name(), work.metadata.name,
                       "gets quota before its backoff of " + std::to_string(delay) + " s is over");
    }
    void check_requeues(World& world, const QueuedWork& work) {
        if (!world.settings().has("ready_limit") || !work.status.requeue_state) return;
        if (work.status.requeue_state->count.value_or(0) > world.settings().number("ready_limit", 0))
            world.fail(name(), work.metadata.name, "is queued again more often than it may be");
    }

    void check_admitted(World& world, const QueuedWork& work) {
        for (const auto& check : work.status.admission_checks)
            if (!(check.state == "Ready"))
                world.fail(name(), work.metadata.name,
                           "is admitted, and its check " + check.name.str() + " is " + check.state.str());
        if (!work.status.admission) return world.fail(name(), work.metadata.name, "is admitted without quota");
        const Text& queue_name = work.status.admission->cluster_queue;
        if (!stands(world, queue_name, decision_age_max(world)) || !decides_in_one_life(world)) return;
        for (const ClusterQueue* queue : world.history.all<ClusterQueue>()) {
            if (!(queue->metadata.name == queue_name) || !queue->spec.admission_checks_strategy) continue;
            for (const auto& rule : queue->spec.admission_checks_strategy->admission_checks)
                if (applies(rule, work) && !is_listed(rule.name, work))
                    world.fail(name(), work.metadata.name, "is admitted without the check " + rule.name.str());
        }
    }
    static bool applies(const api::kueue::AdmissionCheckStrategyRule& rule, const QueuedWork& work) {
        if (rule.on_flavors.empty()) return true;
        for (const auto& [key, amount] : usage_of(work))
            if (std::find(rule.on_flavors.begin(), rule.on_flavors.end(), std::get<1>(key)) != rule.on_flavors.end())
                return true;
        return false;
    }
    static bool is_listed(const Text& check, const QueuedWork& work) {
        return std::any_of(work.status.admission_checks.begin(), work.status.admission_checks.end(),
                           [&](const auto& state) { return state.name == check; });
    }

    // A mirror that could not list for a while tries again within half a minute.
    static Duration patience(const World& world) { return std::max(kInGoodTime, decision_age_max(world)); }

    // Once a second is often enough.
    void check_late(World& world) {
        if (looked_at_ + 1s > world.loop.uptime()) return;
        looked_at_ = world.loop.uptime();
        for (const QueuedWork* work : world.history.all<QueuedWork>()) {
            const Duration since = since_[work->metadata.uid];
            if (!holds_quota(*work) || since + patience(world) > world.loop.uptime()) continue;
            if (has_condition(*work, "Evicted")) {
                if (healed_at_ && std::max(since, *healed_at_) + kStopsWithin < world.loop.uptime())
                    world.fail(name(), work->metadata.name, "was evicted, and still holds quota");
                continue;
            }
            if (!work->spec.active.value_or(true))
                world.fail(name(), work->metadata.name, "is switched off, and holds quota all the same");
            for (const auto& check : work->status.admission_checks)
                if (check.state == "Rejected" || check.state == "Retry")
                    world.fail(name(), work->metadata.name,
                               "holds quota, though check " + check.name.str() + " says " + check.state.str());
            check_drained(world, *work);
        }
    }
    void check_drained(World& world, const QueuedWork& work) {
        const Text& queue_name = work.status.admission->cluster_queue;
        if (!stands(world, queue_name, patience(world))) return;
        for (const ClusterQueue* queue : world.history.all<ClusterQueue>())
            if (queue->metadata.name == queue_name && queue->spec.stop_policy &&
                *queue->spec.stop_policy == "HoldAndDrain")
                world.fail(name(), work.metadata.name, "holds quota of " + queue_name.str() + ", which is drained");
    }

    std::map<Text, Duration> since_;        // when it last changed, by UID
    std::map<Text, Duration> queue_since_;  // when its spec last changed, by name
    std::optional<Duration> healed_at_;
    Duration looked_at_{};
};

}  // namespace

std::unique_ptr<Checker> make_admission() { return std::make_unique<Admission>(); }

}  // namespace muster::sim
