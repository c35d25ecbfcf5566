// A gated pod never runs and is on no node; a gate that is gone does not come back. A pod loses its gate only when its
// Workload is admitted, and a member of a group only when quota is there for all of the group, as large as its pods
// said it was before it got the quota. The same with Jobs, which are suspended until then.
#include <algorithm>
#include <map>
#include <vector>

#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

class Gates final : public Checker {
public:
    std::string_view name() const override { return "gates"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<QueuedWork>()) follow_work(world, change);
        if (change.is<Job>() && change.now) check_job(world, change);
        if (!change.is<Pod>()) return;
        if (!change.now) return (void)gated_.erase(change.before_as<Pod>()->metadata.uid);
        const Pod& pod = *change.now_as<Pod>();
        const Pod* before = change.before_as<Pod>();
        const bool gated = is_gated(pod);
        gated_[pod.metadata.uid] = gated;
        follow_size(world, pod, before);
        if (gated && !pod.spec.node_name.empty()) world.fail(name(), pod.metadata.name, "is gated, and on a node");
        if (before && gated && !is_gated(*before)) world.fail(name(), pod.metadata.name, "is gated again");
        if (before && !gated && is_gated(*before)) check_start(world, pod);
        if (!before) check_owner(world, pod);
    }

    void on_run(World& world, const Machine&, const ProcessTruth& process) override {
        if (process.record.state != node::RunState::kIntended) return;
        const auto gated = gated_.find(process.record.key.pod_uid);
        if (gated != gated_.end() && gated->second)
            world.fail(name(), process.record.key.pod_uid, "a process starts for a pod that is gated");
    }

private:
    struct AdmittedBook {
        bool ever = false;
        bool now = false;
        Duration made{};  // the Workload
        Duration since{};
        Duration until{};
        std::int64_t pods = 0;
    };

    struct SizeBook {
        std::vector<std::pair<Duration, std::int64_t>> said{};  // when a pod came, or was edited, and what it says
        std::optional<Duration> succeeded_at{};                 // last seen with a part of it done
    };

    void follow_work(World& world, const Change& change) {
        const QueuedWork& work = change.now ? *change.now_as<QueuedWork>() : *change.before_as<QueuedWork>();
        const bool admitted =
            change.now && holds_quota(work) && has_condition(work, "Admitted") && !has_condition(work, "Evicted");
        const auto note = [&](const Text& key) {
            AdmittedBook& book = admitted_[key];
            if (!change.before) book.made = world.loop.uptime();
            if (book.now && !admitted) book.until = world.loop.uptime();
            if (!book.now && admitted) book.since = world.loop.uptime();
            book.now = admitted;
            if (!admitted) return;
            book.ever = true;
            book.pods = 0;
            for (const auto& set : work.status.admission->pod_set_assignments)
                book.pods += set.count.value_or(1) + given_back(work, set.name);
        };
        note(work.metadata.name);
        for (const auto& owner : work.metadata.owner_references) note(owner.uid);
    }

    bool is_admitted(const World& world, const Text& key) const {
        const auto found = admitted_.find(key);
        // A Job of no pods needs no quota, and is admitted.
        return found != admitted_.end() && found->second.ever &&
               (found->second.now || !decides_in_one_life(world) ||
                found->second.until + decision_age_max(world) > world.loop.uptime());
    }

    // A Job that names a queue is suspended when it comes, and resumed only when its Workload is admitted.
    void check_job(World& world, const Change& change) {
        const Job& job = *change.now_as<Job>();
        const Job* before = change.before_as<Job>();
        if (!job.metadata.labels.contains("kueue.x-k8s.io/queue-name") || job.spec.suspend.value_or(false)) return;
        if (before && !before->spec.suspend.value_or(false)) return;
        if (!is_admitted(world, job.metadata.uid))
            world.fail(name(), job.metadata.name, "starts without being admitted");
    }

    // Pods of a queued Job are made by its controller from its template, which says what set they are of.
    void check_owner(World& world, const Pod& pod) {
        const Text owner = job_uid_of(pod);
        if (owner.empty() || pod.metadata.labels.contains("kueue.x-k8s.io/podset")) return;
        for (const Job* job : world.history.all<Job>())
            if (job->metadata.uid == owner && job->metadata.labels.contains("kueue.x-k8s.io/queue-name"))
                world.fail(name(), pod.metadata.name, "is made in the name of a queued Job");
    }

    void check_start(World& world, const Pod& pod) {
        const Text group = group_name_of(pod);
        const Text& key = group.empty() ? pod.metadata.uid : group;
        const auto found = admitted_.find(key);
        if (!is_admitted(world, key)) return world.fail(name(), pod.metadata.name, "starts without being admitted");
        const std::int64_t size = size_at(world, group, found->second);
        if (found->second.pods < size)
            world.fail(name(), pod.metadata.name,
                       "starts with quota for " + std::to_string(found->second.pods) + " pods of its group of " +
                           std::to_string(size));
    }

    void follow_size(const World& world, const Pod& pod, const Pod* before) {
        const Text group = group_name_of(pod);
        if (group.empty()) return;
        SizeBook& book = sizes_[group];
        const bool known = before && group_name_of(*before) == group && group_size_of(*before) == group_size_of(pod);
        if (!known) book.said.emplace_back(world.loop.uptime(), group_size_of(pod));
        if (pod.status.phase == "Succeeded") book.succeeded_at = world.loop.uptime();
    }

    // The least that its pods said of their group since what its quota was decided on; when a part of it had succeeded
    // then, since its Workload was made.
    std::int64_t size_at(const World& world, const Text& group, const AdmittedBook& admitted) const {
        const auto found = sizes_.find(group);
        if (found == sizes_.end()) return 0;
        const SizeBook& book = found->second;
        Duration from = admitted.since - decision_age_max(world);
        if (book.succeeded_at && *book.succeeded_at > admitted.made) from = std::min(from, admitted.made);
        std::int64_t least = INT64_MAX;
        for (auto said = book.said.rbegin(); said != book.said.rend(); ++said) {
            least = std::min(least, said->second);
            if (decides_in_one_life(world) && said->first < from) break;
        }
        return least;
    }

    std::map<Text, AdmittedBook> admitted_;  // by the Workload's name, and by the UIDs of its owners
    std::map<Text, bool> gated_;             // by the pod's UID
    std::map<Text, SizeBook> sizes_;         // by the group's name
};

}  // namespace

std::unique_ptr<Checker> make_gates() { return std::make_unique<Gates>(); }

}  // namespace muster::sim
