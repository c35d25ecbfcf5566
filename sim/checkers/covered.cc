// Running pods have quota: at every durable instant the pods of a group, or a single pod, that have started and not
// ended request no more than their Workload has reserved, whatever its pod sets are. A Workload that has finished or is
// gone has nothing reserved, so its pods have ended by then, also if a user deleted it. The same holds for orphaned
// pods of a Job. Short violations are allowed for a Job, as two controllers are involved, and for a pod whose start
// arrived after its sender had died. While a Job runs, a pod that is being deleted may be replaced at once and does not
// count. On a node that does not answer, a deleted pod stops counting after kAnswersWithin.
#include <map>

#include "api/kinds/kueue/cluster_queue.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

constexpr Duration kAnswersWithin = 20s;

std::int64_t request_of(const Pod& pod) {
    std::int64_t sum = 0;
    if (pod.spec.resources)
        if (const api::Quantity* cpu = pod.spec.resources->requests.find("cpu")) return cpu->milli_value();
    for (const auto& container : pod.spec.containers)
        if (const api::Quantity* cpu = container.resources.requests.find("cpu")) sum += cpu->milli_value();
    return sum;
}

Text job_of(const Pod& pod) {
    for (const auto& owner : pod.metadata.owner_references)
        if (owner.controller.value_or(false) && owner.kind == "Job") return owner.uid;
    return {};
}

class Covered final : public Checker {
public:
    std::string_view name() const override { return "covered"; }

    void on_change(World& world, const Change& change) override {
        if (!decides_in_one_life(world) || has_fault(world, {"clock"})) return;
        if (change.is<Pod>()) follow_pod(world, change);
        if (change.is<QueuedWork>()) follow_work(world, change);
        const Duration patience = patience_of(world);
        for (const auto& [key, since] : uncovered_)
            if (since + patience < world.loop.uptime()) fail(world, key);
    }

private:
    struct Running {
        std::map<Text, std::int64_t> requests;  // by UID of the pods
        bool of_job = false;
    };
    struct Reserved {
        Text name;
        std::int64_t amount = 0;
    };

    static Duration patience_of(const World& world) {
        return decision_age_max(world) <= 3s ? Duration(5s) : Duration(60s);
    }

    // The Workload that a Job's pod was started with, after its Job has left it behind.
    static Text orphaned_from(const Pod& pod) {
        const Text* work = pod.metadata.annotations.find("kueue.x-k8s.io/workload");
        return work ? *work : Text();
    }
    static Text key_of(const Pod& pod) {
        const Text job = job_of(pod);
        const Text group = group_name_of(pod);
        if (!job.empty()) return job;
        if (!pod.metadata.labels.contains("kueue.x-k8s.io/queue-name")) return orphaned_from(pod);
        return !group.empty() ? group : pod.metadata.uid;
    }

    void follow_pod(World& world, const Change& change) {
        const Pod& pod = change.now ? *change.now_as<Pod>() : *change.before_as<Pod>();
        const Text key = key_of(pod);
        if (change.before) {
            // A pod that its Job left behind runs with its Workload's quota from now on, and no longer with the Job's.
            const Text former = key_of(*change.before_as<Pod>());
            running_[former].requests.erase(pod.metadata.uid);
            if (!(former == key)) judge(world, former, running_[former].of_job);
        }
        if (key.empty()) return;
        Running& running = running_[key];
        running.of_job = !pod.metadata.labels.contains("kueue.x-k8s.io/queue-name");
        running.requests.erase(pod.metadata.uid);
        if (change.now && is_deleting(pod)) deleted_at_.try_emplace(pod.metadata.uid, world.loop.uptime());
        const bool lost = is_deleting(pod) && pod.spec.node_name.empty();
        if (change.now && !is_gated(pod) && !has_ended(pod) && !lost)
            running.requests[pod.metadata.uid] = request_of(pod);
        const bool starts = change.now && change.before && is_gated(*change.before_as<Pod>()) && !is_gated(pod);
        judge(world, key, running.of_job || (starts && world.senders_may_be_gone()));
    }

    void follow_work(World& world, const Change& change) {
        const QueuedWork& work = change.now ? *change.now_as<QueuedWork>() : *change.before_as<QueuedWork>();
        Reserved reserved{work.metadata.name, 0};
        if (change.now)
            for (const auto& [key, amount] : usage_of(work))
                if (std::get<2>(key) == "cpu") reserved.amount += amount;
        const auto note = [&](const Text& key) {
            reserved_[key] = reserved;
            judge(world, key, running_[key].of_job);
        };
        if (work.metadata.annotations.contains("kueue.x-k8s.io/is-group-workload")) return note(work.metadata.name);
        note(work.metadata.name);
        for (const auto& owner : work.metadata.owner_references) note(owner.uid);
    }

    std::int64_t needed(const World& world, const Running& running, const Reserved& reserved) const {
        std::int64_t sum = 0;
        for (const auto& [uid, amount] : running.requests) {
            const auto deleted = deleted_at_.find(uid);
            if (deleted != deleted_at_.end()) {
                if (deleted->second + kAnswersWithin <= world.loop.uptime()) continue;
                if (running.of_job && reserved.amount > 0) continue;
            }
            sum += amount;
        }
        return sum;
    }

    // `for_a_moment`: a short violation is allowed, because two controllers are involved, or because the start of a pod
    // arrived after its sender had died and the quota had been given back.
    void judge(World& world, const Text& key, bool for_a_moment) {
        const auto running = running_.find(key);
        const auto reserved = reserved_.find(key);
        if (running == running_.end() || reserved == reserved_.end() ||
            needed(world, running->second, reserved->second) <= reserved->second.amount)
            return (void)uncovered_.erase(key);
        const bool is_new = uncovered_.try_emplace(key, world.loop.uptime()).second;
        if (is_new && !for_a_moment) fail(world, key);
    }
    void fail(World& world, const Text& key) {
        const Reserved& reserved = reserved_[key];
        world.fail(name(), reserved.name,
                   "its pods run with " + std::to_string(needed(world, running_[key], reserved)) +
                       "m cpu, and it has reserved " + std::to_string(reserved.amount) + "m");
    }

    // By the group's name, the pod's UID or the Job's.
    std::map<Text, Running> running_;
    std::map<Text, Reserved> reserved_;
    std::map<Text, Duration> uncovered_;
    std::map<Text, Duration> deleted_at_;  // by the pod's UID
};

}  // namespace

std::unique_ptr<Checker> make_covered() { return std::make_unique<Covered>(); }

}  // namespace muster::sim
