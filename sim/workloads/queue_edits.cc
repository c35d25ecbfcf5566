// Users who change queued work, waiting or running: Jobs are scaled, resized and suspended; Jobs and single pods are
// moved to other queues and priority classes. A running Job that is changed must queue again; the Workload of a waiting
// Job follows the change. Waiting groups are made larger, drivers announce other workers, all get a maximum execution
// time, and single pods join foreign groups. Drivers are deleted while their workers run, and groups when a part of
// them is done. When the world is healed, Jobs that were scaled to zero get one pod again, the execution times are no
// longer limited, and pods that joined a group and still wait are deleted.
#include "sim/checkers/queue_facts.h"
#include "sim/workloads/list.h"
#include "sim/workloads/meddling.h"
#include "sim/workloads/queue_manifest.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

constexpr const char* kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr const char* kClassLabel = "kueue.x-k8s.io/priority-class";
constexpr const char* kGroupLabel = "kueue.x-k8s.io/pod-group-name";
constexpr const char* kSecondsLabel = "kueue.x-k8s.io/max-exec-time-seconds";
constexpr const char* kMinimumAnnotation = "kueue.x-k8s.io/job-min-parallelism";
constexpr std::int32_t kPodsMax = 3;
constexpr int kGroupMax = 4;

// A pod alone that became a member of a group; what its owner makes has the group's name in front.
bool has_joined(const Pod& pod) {
    const Text group = group_name_of(pod);
    return !group.empty() && !pod.metadata.name.view().starts_with(group.str() + "-");
}

class QueueEdits final : public Workload {
public:
    QueueEdits(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "queue-edits");
        world.user_tasks().spawn(edit_all(&world));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World&) const override { return done_ ? "" : "users still edit what is queued"; }

private:
    os::Task<void> edit_all(World* world) {
        while (!winding_down_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 200ms, 4s, random_));
            if (winding_down_) break;
            switch (random_.below(10)) {
                case 0:
                case 1: co_await edit_pod(world); break;
                case 2: co_await grow_group(world); break;
                case 3: co_await edit_driver(world); break;
                case 4: co_await join_group(world); break;
                case 5: co_await limit_time(world); break;
                case 6: co_await remove_while_others_run(world); break;
                default: co_await edit_job(world); break;
            }
        }
        for (;;) {
            co_await give_pods(world);
            const bool time_given = co_await give_time(world);
            const bool joined_gone = co_await remove_joined(world);
            done_ = time_given && joined_gone;
            co_await os::sleep_for(world->loop, 3s);
        }
    }

    os::Task<void> give_pods(World* world) {
        std::vector<client::ObjectName> empty;
        for (const Job* job : world->history.all<Job>())
            if (job->spec.parallelism == 0) empty.push_back(client::name_of(*job));
        for (const client::ObjectName& name : empty) {
            std::function<bool(Job&)> edit = [](Job& job) {
                const bool waits = job.spec.parallelism == 0;
                job.spec.parallelism = 1;
                // The parallelism of a Job that may start with a part of its pods changes only while it is suspended.
                if (job.metadata.annotations.contains(kMinimumAnnotation)) job.spec.suspend = true;
                return waits;
            };
            (void)co_await user_->change<Job>(name, std::move(edit));
        }
    }
    // What runs is stopped when its time is over, and waits then. Whether there was nothing to do.
    os::Task<bool> give_time(World* world) {
        std::vector<client::ObjectName> jobs;
        std::vector<client::ObjectName> pods;
        for (const Job* job : world->history.all<Job>())
            if (job->spec.suspend.value_or(false) && job->metadata.labels.contains(kSecondsLabel) && !is_finished(*job))
                jobs.push_back(client::name_of(*job));
        for (const Pod* pod : world->history.all<Pod>())
            if (is_gated(*pod) && pod->metadata.labels.contains(kSecondsLabel) && !is_deleting(*pod))
                pods.push_back(client::name_of(*pod));
        for (const client::ObjectName& name : jobs) co_await set_seconds<Job>(name, 0);
        for (const client::ObjectName& name : pods) co_await set_seconds<Pod>(name, 0);
        co_return jobs.empty() && pods.empty();
    }
    os::Task<bool> remove_joined(World* world) {
        std::vector<std::pair<client::ObjectName, Text>> joined;
        for (const Pod* pod : world->history.all<Pod>())
            if (has_joined(*pod) && is_gated(*pod)) joined.emplace_back(client::name_of(*pod), pod->metadata.uid);
        for (auto& [name, uid] : joined) co_await remove_pod(world, name, uid);
        co_return joined.empty();
    }
    os::Task<void> remove_pod(World* world, client::ObjectName name, Text uid) {
        world->user_removes(uid);
        client::Removal removal(uid);
        co_await user_->remove<Pod>(name, std::move(removal));
    }
    // 0: as long as it likes.
    template <class K>
    os::Task<void> set_seconds(client::ObjectName name, int seconds) {
        std::function<bool(K&)> edit = [seconds](K& draft) {
            if (seconds > 0)
                draft.metadata.labels.set(kSecondsLabel, std::to_string(seconds));
            else
                draft.metadata.labels.erase(kSecondsLabel);
            return true;
        };
        (void)co_await user_->change<K>(name, std::move(edit));
    }

    template <class Wanted>
    static std::vector<const Pod*> find_pods(const World& world, Wanted wanted) {
        std::vector<const Pod*> found;
        for (const Pod* pod : world.history.all<Pod>())
            if (!is_deleting(*pod) && wanted(*pod)) found.push_back(pod);
        return found;
    }
    const Pod* pick(const std::vector<const Pod*>& pods) {
        return pods.empty() ? nullptr : pods[random_.below(pods.size())];
    }

    // One by one, so for a while they do not agree. A group that serves keeps what it had when it came.
    os::Task<void> grow_group(World* world) {
        const Pod* one = pick(find_pods(*world, [](const Pod& pod) {
            return is_gated(pod) && group_size_of(pod) > 0 && group_size_of(pod) < kGroupMax;
        }));
        if (!one) co_return;
        const int size = static_cast<int>(group_size_of(*one)) + 1;
        const Text group = group_name_of(*one);
        std::vector<client::ObjectName> members;
        for (const Pod* pod : find_pods(*world, [](const Pod& pod) { return is_gated(pod); }))
            if (group_name_of(*pod) == group) {
                if (pod->metadata.annotations.contains("kueue.x-k8s.io/pod-group-serving")) co_return;
                members.push_back(client::name_of(*pod));
            }
        for (const client::ObjectName& name : members) co_await change_group_size(user_.get(), name, size);
    }

    os::Task<void> edit_driver(World* world) {
        const Pod* driver =
            pick(find_pods(*world, [](const Pod& pod) { return is_gated(pod) && announced_by(pod).has_value(); }));
        if (!driver) co_return;
        Announced announced = *announced_by(*driver);
        if (random_.chance(2, 3)) announced.workers = static_cast<int>(random_.between(1, kGroupMax - 1));
        if (random_.chance(1, 2)) announced.request = static_cast<int>(random_.between(50, kRequestMax));
        if (random_.chance(1, 4)) announced.limits = !announced.limits;
        std::function<bool(Pod&)> edit = [announced](Pod& pod) {
            pod.metadata.annotations.set(kSetsAnnotation, format_sets(announced));
            return is_gated(pod);
        };
        const client::ObjectName name = client::name_of(*driver);
        (void)co_await user_->change<Pod>(name, std::move(edit));
    }

    // With the group's queue and class or its own, which do not agree then.
    os::Task<void> join_group(World* world) {
        const Pod* alone = pick(find_pods(
            *world, [](const Pod& pod) { return is_gated(pod) && group_name_of(pod).empty() && !asks_too_much(pod); }));
        const Pod* member =
            pick(find_pods(*world, [](const Pod& pod) { return !group_name_of(pod).empty() && !has_joined(pod); }));
        if (!alone || !member) co_return;
        const bool agrees = random_.chance(3, 4);
        const std::int64_t size = group_size_of(*member);
        const Map<Text> labels = member->metadata.labels;
        std::function<bool(Pod&)> edit = [agrees, size, labels](Pod& pod) {
            const auto take = [&](const char* key) {
                if (const Text* value = labels.find(key)) pod.metadata.labels.set(key, *value);
            };
            take(kGroupLabel);
            if (agrees) take(kQueueLabel);
            if (agrees) take(kClassLabel);
            if (size > 0)
                pod.metadata.annotations.set("kueue.x-k8s.io/pod-group-total-count", std::to_string(size));
            else
                pod.metadata.labels.set("kueue.x-k8s.io/pod-group-role", "workers");
            return is_gated(pod);
        };
        const client::ObjectName name = client::name_of(*alone);
        (void)co_await user_->change<Pod>(name, std::move(edit));
    }

    os::Task<void> limit_time(World* world) {
        const int seconds = random_.chance(1, 4) ? 0 : static_cast<int>(random_.between(1, 8));
        if (random_.chance(1, 3)) {
            std::vector<client::ObjectName> jobs;
            for (const Job* job : world->history.all<Job>())
                if (job->spec.suspend.value_or(false)) jobs.push_back(client::name_of(*job));
            if (jobs.empty()) co_return;
            const client::ObjectName name = jobs[random_.below(jobs.size())];
            co_await set_seconds<Job>(name, seconds);
            co_return;
        }
        const auto waiting = find_pods(*world, [](const Pod& pod) { return is_gated(pod); });
        const Pod* one = pick(waiting);
        if (!one) co_return;
        const Text group = group_name_of(*one);
        std::vector<client::ObjectName> names = {client::name_of(*one)};
        if (!group.empty()) {
            names.clear();
            for (const Pod* pod : waiting)
                if (group_name_of(*pod) == group) names.push_back(client::name_of(*pod));
        }
        for (const client::ObjectName& name : names) co_await set_seconds<Pod>(name, seconds);
    }

    // A driver that runs, or a whole group of which a part has succeeded.
    os::Task<void> remove_while_others_run(World* world) {
        const bool driver = random_.chance(1, 2);
        const Pod* one = pick(find_pods(*world, [driver](const Pod& pod) {
            return driver ? announced_by(pod) && pod.status.phase == "Running"
                          : !group_name_of(pod).empty() && pod.status.phase == "Succeeded";
        }));
        if (!one) co_return;
        const Text group = group_name_of(*one);
        std::vector<std::pair<client::ObjectName, Text>> chosen;
        for (const Pod* pod : find_pods(*world, [](const Pod&) { return true; }))
            if (driver ? pod == one : group_name_of(*pod) == group)
                chosen.emplace_back(client::name_of(*pod), pod->metadata.uid);
        for (auto& [name, uid] : chosen) co_await remove_pod(world, name, uid);
    }

    os::Task<void> edit_job(World* world) {
        auto jobs = world->history.all<Job>();
        // The worst moment is when a part of it is done and the rest waits.
        if (random_.chance(1, 2))
            std::erase_if(jobs, [](const Job* job) { return !job->spec.suspend.value_or(false) || !has_done(*job); });
        if (jobs.empty()) co_return;
        const client::ObjectName name = client::name_of(*jobs[random_.below(jobs.size())]);
        const std::uint64_t how = random_.below(8);
        const std::int32_t size = static_cast<std::int32_t>(random_.between(0, kPodsMax));
        const Text label = draw_value(how == 0 ? kQueueLabel : kClassLabel);
        std::function<bool(Job&)> edit = [how, size, label](Job& job) {
            switch (how) {
                case 0: job.metadata.labels.set(kQueueLabel, label); return true;
                case 1: job.metadata.labels.set(kClassLabel, label); return true;
                case 2: job.spec.suspend = true; return true;
                case 3:
                case 4: return resize(job, size);
                default: job.spec.parallelism = size; return true;
            }
        };
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    static bool has_done(const Job& job) { return job.status.succeeded > 0 && !is_finished(job); }
    // An elastic Job: completions follow parallelism.
    static bool resize(Job& job, std::int32_t size) {
        if (!is_indexed(job) || job.spec.completions != job.spec.parallelism || size == 0) return false;
        job.spec.parallelism = job.spec.completions = size;
        return true;
    }

    os::Task<void> edit_pod(World* world) {
        std::vector<client::ObjectName> waiting;
        for (const Pod* pod : world->history.all<Pod>())
            if (is_gated(*pod) && group_name_of(*pod).empty() && !asks_too_much(*pod))
                waiting.push_back(client::name_of(*pod));
        if (waiting.empty()) co_return;
        const client::ObjectName name = waiting[random_.below(waiting.size())];
        const char* key = random_.chance(1, 2) ? kQueueLabel : kClassLabel;
        const Text label = draw_value(key);
        std::function<bool(Pod&)> edit = [key, label](Pod& pod) {
            pod.metadata.labels.set(key, label);
            return true;
        };
        (void)co_await user_->change<Pod>(name, std::move(edit));
    }

    // In a queue of strict order it would hold up everybody, for ever and rightly so.
    static bool asks_too_much(const Pod& pod) {
        return pod.spec.containers[0].resources.requests.find("cpu")->milli_value() > kRequestMax;
    }

    Text draw_value(const char* key) {
        if (key == kQueueLabel) return kQueueNames[random_.below(std::size(kQueueNames))];
        return random_.chance(1, 2) ? "low" : "high";
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    bool winding_down_ = false;
    bool done_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_queue_edits(const Settings& settings, Prng random) {
    return std::make_unique<QueueEdits>(settings, random);
}

}  // namespace muster::sim
