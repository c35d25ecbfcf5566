// In a StrictFIFO queue nothing overtakes: who gets quota leaves none behind that came to the same LocalQueue in an
// earlier second with the same or a higher priority, has waited there unchanged for a while, and was never evicted.
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
        if (!change.is<QueuedWork>() || !change.now) return;
        const QueuedWork& work = *change.now_as<QueuedWork>();
        const QueuedWork* before = change.before_as<QueuedWork>();
        if (!before || before->metadata.generation != work.metadata.generation ||
            has_condition(*before, "WaitingForReplacementPods") != has_condition(work, "WaitingForReplacementPods"))
            since_[work.metadata.uid] = world.loop.uptime();
        if (!holds_quota(work) || (before && holds_quota(*before)) || !decides_in_one_life(world)) return;
        if (!is_strict(world, work.status.admission->cluster_queue)) return;
        for (const QueuedWork* other : world.history.all<QueuedWork>())
            if (is_overtaken(world, *other, work))
                world.fail(name(), other->metadata.name, "is overtaken by " + work.metadata.name.str());
    }

private:
    static bool is_strict(const World& world, const Text& queue_name) {
        for (const auto* queue : world.history.all<api::kueue::ClusterQueue>())
            if (queue->metadata.name == queue_name) return queue->spec.queueing_strategy == "StrictFIFO";
        return false;
    }

    bool is_overtaken(const World& world, const QueuedWork& other, const QueuedWork& work) const {
        const auto since = since_.find(other.metadata.uid);
        return !(other.metadata.uid == work.metadata.uid) && other.spec.queue_name == work.spec.queue_name &&
               other.metadata.creation_timestamp.instant() < work.metadata.creation_timestamp.instant() &&
               other.spec.priority.value_or(0) >= work.spec.priority.value_or(0) && other.spec.active.value_or(true) &&
               !holds_quota(other) && !has_condition(other, "Finished") && !find_condition(other, "Evicted") &&
               !has_condition(other, "WaitingForReplacementPods") && !other.metadata.deletion_timestamp &&
               since != since_.end() && since->second + decision_age_max(world) < world.loop.uptime();
    }

    std::map<Text, Duration> since_;  // when it came, or last changed, by UID
};

}  // namespace

std::unique_ptr<Checker> make_strict_order() { return std::make_unique<StrictOrder>(); }

}  // namespace muster::sim
