// In a StrictFIFO queue nothing overtakes: who gets quota leaves none behind that came to the same LocalQueue in an
// earlier second with the same or a higher priority, has waited there unchanged for a while, and was never evicted.
// Those that get quota together are written one by one and in any order, so the one left behind may follow soon.
#include <map>

#include "api/kinds/kueue/cluster_queue.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

class StrictOrder final : public Checker {
public:
    std::string_view name() const override { return "strict-order"; }

    void on_change(World& world, const Change& change) override {
        judge(world);
        if (!change.is<QueuedWork>()) return;
        if (!change.now) return (void)left_behind_.erase(change.before_as<QueuedWork>()->metadata.uid);
        const QueuedWork& work = *change.now_as<QueuedWork>();
        const QueuedWork* before = change.before_as<QueuedWork>();
        if (!before || before->metadata.generation != work.metadata.generation ||
            has_condition(*before, "WaitingForReplacementPods") != has_condition(work, "WaitingForReplacementPods"))
            since_[work.metadata.uid] = world.loop.uptime();
        if (!may_be_overtaken(work)) left_behind_.erase(work.metadata.uid);
        if (!holds_quota(work) || (before && holds_quota(*before)) || !decides_in_one_life(world)) return;
        if (!is_strict(world, work.status.admission->cluster_queue)) return;
        for (const QueuedWork* other : world.history.all<QueuedWork>())
            if (is_overtaken(world, *other, work))
                left_behind_.try_emplace(other->metadata.uid,
                                         LeftBehind{world.loop.uptime(), other->metadata.name, work.metadata.name,
                                                    since_[other->metadata.uid]});
    }

    // What was to follow may be lost.
    void on_boot(World&) override { left_behind_.clear(); }
    void at_rest(World& world) override { judge(world); }

private:
    struct LeftBehind {
        Duration at;
        Text name;
        Text by;
        Duration since;
    };

    void judge(World& world) {
        const Duration patience = decision_age_max(world) <= 3s ? Duration(1s) : Duration(60s);
        for (auto one = left_behind_.begin(); one != left_behind_.end();) {
            // The overtaken workload has changed meanwhile, so its waiting time started again.
            if (since_[one->first] != one->second.since) {
                one = left_behind_.erase(one);
                continue;
            }
            if (one->second.at + patience < world.loop.uptime())
                world.fail(name(), one->second.name, "is overtaken by " + one->second.by.str());
            ++one;
        }
    }

    static bool is_strict(const World& world, const Text& queue_name) {
        for (const auto* queue : world.history.all<api::kueue::ClusterQueue>())
            if (queue->metadata.name == queue_name) return queue->spec.queueing_strategy == "StrictFIFO";
        return false;
    }

    bool is_overtaken(const World& world, const QueuedWork& other, const QueuedWork& work) const {
        const auto since = since_.find(other.metadata.uid);
        return !(other.metadata.uid == work.metadata.uid) && other.spec.queue_name == work.spec.queue_name &&
               other.metadata.creation_timestamp.instant() < work.metadata.creation_timestamp.instant() &&
               other.spec.priority.value_or(0) >= work.spec.priority.value_or(0) && may_be_overtaken(other) &&
               since != since_.end() && since->second + decision_age_max(world) < world.loop.uptime();
    }
    static bool may_be_overtaken(const QueuedWork& work) {
        return work.spec.active.value_or(true) && !holds_quota(work) && !has_condition(work, "Finished") &&
               !find_condition(work, "Evicted") && !has_condition(work, "WaitingForReplacementPods") &&
               !work.metadata.deletion_timestamp;
    }

    std::map<Text, LeftBehind> left_behind_;  // by UID
    std::map<Text, Duration> since_;          // when it came, or last changed, by UID
};

}  // namespace

std::unique_ptr<Checker> make_strict_order() { return std::make_unique<StrictOrder>(); }

}  // namespace muster::sim
