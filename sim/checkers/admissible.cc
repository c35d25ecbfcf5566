// A workload that fits is not kept waiting by another that does not. Only plain queues are judged: with one flavor, and
// alone or in one cohort without limits, without Cohort objects and without a strict queue, which keeps its own quota
// for its first. There a workload that is said to wait for quota does not fit in what is left of all of them together,
// unless one of them is being evicted: then a workload that preempted it may wait for that quota.
#include <map>
#include <set>

#include "api/kinds/kueue/cluster_queue.h"
#include "api/kinds/kueue/cohort.h"
#include "api/kinds/kueue/local_queue.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;

class Admissible final : public Checker {
public:
    std::string_view name() const override { return "admissible"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<QueuedWork>() || change.is<ClusterQueue>()) judge(world);
    }
    void on_boot(World&) override { since_.clear(); }
    void at_rest(World& world) override { judge(world); }

private:
    using Amounts = std::map<Text, std::int64_t>;  // by resource, in thousandths
    struct Pool {
        Amounts left;
        std::set<Text> queues;
    };

    // Empty when not all is known that decides.
    static std::map<Text, Pool> pools(const World& world) {
        std::map<Text, Pool> out;
        if (!world.history.all<api::kueue::Cohort>().empty()) return out;
        std::set<Text> unclear;
        std::map<Text, Text> pool_of;
        for (const ClusterQueue* queue : world.history.all<ClusterQueue>()) {
            const Text name = queue->spec.cohort_name.empty() ? "queue " + queue->metadata.name.str()
                                                              : "cohort " + queue->spec.cohort_name.str();
            pool_of[queue->metadata.name] = name;
            Pool& pool = out[name];
            pool.queues.insert(queue->metadata.name);
            if (!add_quota(*queue, pool) || queue->spec.queueing_strategy == "StrictFIFO") unclear.insert(name);
        }
        for (const QueuedWork* work : world.history.all<QueuedWork>()) {
            for (const auto& [key, amount] : usage_of(*work)) {
                const Text& pool = pool_of[std::get<0>(key)];
                out[pool].left[std::get<2>(key)] -= amount;
                if (has_condition(*work, "Evicted")) unclear.insert(pool);
            }
        }
        for (const Text& name : unclear) out.erase(name);
        return out;
    }
    static bool add_quota(const ClusterQueue& queue, Pool& pool) {
        if (queue.spec.stop_policy && !(*queue.spec.stop_policy == "None")) return false;
        if (queue.metadata.deletion_timestamp || queue.spec.resource_groups.size() != 1) return false;
        const auto& flavors = queue.spec.resource_groups[0].flavors;
        if (flavors.size() != 1) return false;
        for (const auto& resource : flavors[0].resources) {
            if (resource.borrowing_limit || resource.lending_limit) return false;
            pool.left[resource.name] += resource.nominal_quota.milli_value();
        }
        return true;
    }

    static Text queue_of(const World& world, const QueuedWork& work) {
        for (const auto* local : world.history.all<api::kueue::LocalQueue>())
            if (local->metadata.name == work.spec.queue_name) return local->spec.cluster_queue;
        return {};
    }
    static Amounts requests_of(const QueuedWork& work) {
        Amounts out;
        for (const auto& set : work.spec.pod_sets) {
            std::int64_t count = set.count;
            for (const auto& pods : work.status.reclaimable_pods)
                if (pods.name == set.name) count -= pods.count;
            for (const auto& container : set.template_.spec.containers) {
                for (const auto& [resource, amount] : container.resources.limits)
                    if (!container.resources.requests.contains(resource)) out[resource] += amount.milli_value() * count;
                for (const auto& [resource, amount] : container.resources.requests)
                    out[resource] += amount.milli_value() * count;
            }
        }
        return out;
    }
    static bool fits(const Amounts& asked, const Amounts& left) {
        for (const auto& [resource, amount] : asked) {
            const auto has = left.find(resource);
            if (amount > 0 && (has == left.end() || has->second < amount)) return false;
        }
        return true;
    }
    static bool says_that_quota_is_missing(const QueuedWork& work) {
        const auto* quota = find_condition(work, "QuotaReserved");
        return quota && quota->status == "False" && work.spec.active.value_or(true) &&
               !work.metadata.deletion_timestamp && !has_condition(work, "Finished") &&
               (quota->reason == "WaitingForQuota" || quota->reason == "WaitingForPreemptedWorkloads");
    }

    void judge(World& world) {
        const Duration now = world.loop.uptime();
        const std::map<Text, Pool> known = pools(world);
        std::set<Text> fitting;
        for (const QueuedWork* work : world.history.all<QueuedWork>()) {
            if (!says_that_quota_is_missing(*work)) continue;
            const Text queue = queue_of(world, *work);
            for (const auto& [name, pool] : known) {
                if (!pool.queues.contains(queue) || !fits(requests_of(*work), pool.left)) continue;
                fitting.insert(work->metadata.uid);
                const Duration since = since_.try_emplace(work->metadata.uid, now).first->second;
                if (since + decision_age_max(world) + 10s < now) blame(world, *work, name);
            }
        }
        std::erase_if(since_, [&](const auto& entry) { return !fitting.contains(entry.first); });
    }
    void blame(World& world, const QueuedWork& work, const Text& pool) {
        world.fail(name(), work.metadata.name,
                   "fits in what is left of " + pool.str() +
                       ", and waits: " + find_condition(work, "QuotaReserved")->message.str());
    }

    std::map<Text, Duration> since_;  // when it began to fit, by UID
};

}  // namespace

std::unique_ptr<Checker> make_admissible() { return std::make_unique<Admissible>(); }

}  // namespace muster::sim
