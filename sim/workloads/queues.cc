// Work that waits in queues: Jobs, pods, groups whose failed pods are replaced, groups that serve for ever, drivers who
// make their workers. And those who meddle: edit quota, stop queues, deactivate and delete Workloads, delete pods and
// Jobs at the worst moment. With `tree` the queues stand in a tree of cohorts, and others meddle with that: move queues
// and cohorts, in a circle even, edit limits, delete queues in use, cohorts and classes, and make them again.
#include "api/codec/decode.h"
#include "api/kinds/kueue/local_queue.h"
#include "api/kinds/kueue/resource_flavor.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "sim/checkers/queue_facts.h"
#include "sim/workloads/list.h"
#include "sim/workloads/meddling.h"
#include "sim/workloads/queue_manifest.h"
#include "sim/workloads/queues_tree.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;
using api::kueue::Cohort;
using api::kueue::LocalQueue;
using api::kueue::WorkloadPriorityClass;

constexpr int kFailuresMax = 6;  // of a group: then its pods succeed
constexpr const char* kClassNames[] = {"low", "high"};

class Queues final : public Workload {
public:
    Queues(const Settings& settings, Prng random)
        : settings_(settings), random_(random), tree_(settings.number("tree", 0) != 0) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "queues-user");
        admin_ = std::make_unique<User>(world, "queues-admin");
        world.user_tasks().spawn(set_up(&world));
        world.user_tasks().spawn(create_jobs_and_pods(&world));
        const std::int64_t plain = settings_.number("groups", 1);
        const std::int64_t driven = settings_.number("drivers", 1);
        for (std::int64_t i = 0; i < plain + driven; ++i) {
            const bool drives = i >= plain;
            groups_.push_back({draw_group((drives ? "d" : "g") + std::to_string(i), drives, random_), random_.split(),
                               false, 0, false});
        }
        if (settings_.number("mixed", 0) != 0)
            for (Group& group : groups_) group.drawn.mixed = !group.drawn.driven && random_.chance(1, 2);
        for (Group& group : groups_) world.user_tasks().spawn(keep_group(&world, &group));
        if (tree_ && settings_.number("meddle", 1) != 0) {
            meddling_tree_ = true;
            world.user_tasks().spawn(meddle_tree(&world));
        }
        meddling_ = settings_.number("meddle", 1) != 0;
        if (meddling_) world.user_tasks().spawn(meddle(&world));
    }

    void wind_down(World& world) override {
        winding_down_ = true;
        world.user_tasks().spawn(let_go(&world));
    }

    std::string why_not_over(World& world) const override {
        if (!set_up_ || !created_ || !let_go_) return "users of queues are not done";
        for (const Group& group : groups_)
            if (!group.finished) return "group " + group.drawn.name + " has not finished";
        for (const Job* job : world.history.all<Job>()) {
            if (waits_for_ever(world, {}, job->metadata.uid)) continue;
            if (!is_finished(*job)) return job->metadata.name.str() + " has not finished; " + format_status(*job);
            if (is_deleting(*job) || job->spec.ttl_seconds_after_finished)
                return job->metadata.name.str() + " is not gone; " + format_status(*job);
        }
        for (const Pod* pod : world.history.all<Pod>()) {
            if (!is_deleting(*pod) && waits_for_ever(world, group_name_of(*pod), pod->metadata.uid)) continue;
            if (!is_deleting(*pod) && has_ended(*pod) && !is_held(*pod) && !is_tracked(*pod)) continue;
            return pod->metadata.name.str() + " is not over: " + pod->status.phase.str() +
                   (is_deleting(*pod) ? ", being deleted" : "") + (is_held(*pod) ? ", held" : "") +
                   (is_gated(*pod) ? ", gated" : "") + ", on \"" + pod->spec.node_name.str() + '"';
        }
        return {};
    }

private:
    struct Group {
        DrawnGroup drawn;
        Prng random;
        bool finished;
        int made;
        bool cleared;  // once all was healed: see clears
    };

    os::Task<void> set_up(World* world) {
        for (const char* name : {"f0", "f1"}) {
            auto flavor = api::from_yaml<api::kueue::ResourceFlavor>("metadata: {name: " + std::string(name) + "}\n");
            (void)co_await admin_->create<api::kueue::ResourceFlavor>(std::move(*flavor));
        }
        for (const char* name : kClassNames) co_await make_class(name);
        if (tree_)
            for (const char* name : kCohortNames) co_await make_cohort(name);
        for (const char* name : kQueueNames) {
            co_await make_queue(name);
            co_await make_local(name);
            co_await os::sleep_for(world->loop, Duration(random_.between(0, Duration(500ms).count())));
        }
        set_up_ = true;
    }

    os::Task<void> make_class(const char* name) {
        const int value = std::string_view(name) == "low" ? -10 : 10;
        auto priority = api::from_yaml<WorkloadPriorityClass>("metadata: {name: " + std::string(name) +
                                                              "}\nvalue: " + std::to_string(value) + "\n");
        (void)co_await admin_->create<WorkloadPriorityClass>(std::move(*priority));
    }
    os::Task<void> make_cohort(const char* name) {
        Cohort cohort = draw_cohort(name, random_);
        (void)co_await admin_->create<Cohort>(std::move(cohort));
    }
    os::Task<void> make_queue(const char* name) {
        ClusterQueue queue =
            tree_ ? draw_tree_queue(name, settings_.number("fair", 0) != 0, settings_.number("checks", 0) != 0, random_)
                  : draw_queue(name, random_);
        (void)co_await admin_->create<ClusterQueue>(std::move(queue));
    }
    os::Task<void> make_local(const char* name) {
        auto local = api::from_yaml<LocalQueue>("metadata: {name: " + std::string(name) +
                                                ", namespace: default}\nspec: {clusterQueue: " + name + "}\n");
        (void)co_await admin_->create<LocalQueue>(std::move(*local));
    }

    os::Task<void> create_jobs_and_pods(World* world) {
        const std::int64_t jobs = settings_.number("jobs", 3);
        const std::int64_t pods = settings_.number("pods", 4);
        for (std::int64_t i = 0; i < jobs + pods; ++i) {
            if (i < jobs) {
                Job job = draw_queued_job("j" + std::to_string(i), settings_, random_);
                (void)co_await user_->create<Job>(std::move(job));
            } else {
                Pod pod = draw_queued_pod("p" + std::to_string(random_.below(5)), random_);
                (void)co_await user_->create<Pod>(std::move(pod));
            }
            co_await os::sleep_for(world->loop, Duration(random_.between(0, Duration(3s).count())));
        }
        created_ = true;
    }

    // The owner of a group creates its pods, and replacements for failed pods, until the group has finished.
    os::Task<void> keep_group(World* world, Group* group) {
        for (;;) {
            co_await os::sleep_for(world->loop,
                                   Duration(group->random.between(Duration(100ms).count(), Duration(2s).count())));
            co_await follow_edits(world, group);
            if (winding_down_ && clears(*world, *group)) {
                group->finished = false;
                const bool some_left = co_await remove_all(world, group);
                group->cleared = !some_left;
                continue;
            }
            if (group->drawn.serving && group->cleared) {
                group->finished = true;
                continue;
            }
            const QueuedWork* work = find_work(*world, group->drawn.name, {});
            bool unended = false;
            for (const Pod* pod : members(*world, *group)) unended |= !has_ended(*pod);
            if (work && has_condition(*work, "Finished")) {
                group->finished = !unended && !work->metadata.deletion_timestamp;
                continue;
            }
            // It has been all along; and a Workload without pods goes with them.
            if (work && work->metadata.deletion_timestamp) continue;
            group->finished = false;
            if (!work && co_await remove_old(world, group)) continue;
            if (group->drawn.serving) co_await remove_ended(world, group);
            co_await make_missing(world, group);
        }
    }

    // Whether the owner must delete all pods so that the group can finish. True for a serving group. Also true when the
    // group has quota for pods that the owner does not create: pods of other users, or the first pod of a group that
    // did not wait for the others. Then the group restarts.
    static bool clears(const World& world, const Group& group) {
        if (group.drawn.serving) return !group.cleared;
        const QueuedWork* work = find_work(world, group.drawn.name, {});
        if (work && has_condition(*work, "Finished")) return false;
        if (group.drawn.fast && group.drawn.mixed) return true;
        if (!work || work->metadata.deletion_timestamp) return false;
        for (const auto& set : work->spec.pod_sets) {
            const auto& resources = set.template_.spec.containers[0].resources;
            const api::Quantity* cpu = resources.requests.find("cpu");
            if (!cpu) cpu = resources.limits.find("cpu");
            if (!is_request_of(group.drawn, cpu->milli_value())) return true;
        }
        return false;
    }
    // Whether some were left.
    os::Task<bool> remove_all(World* world, Group* group) {
        std::vector<std::pair<client::ObjectName, Text>> left;
        for (const Pod* pod : members(*world, *group)) left.emplace_back(client::name_of(*pod), pod->metadata.uid);
        for (auto& [name, uid] : left) {
            world->user_removes(uid);
            client::Removal removal(uid);
            co_await user_->remove<Pod>(name, std::move(removal));
        }
        co_await give_up(world, group);
        if (left.empty() && group->drawn.fast) group->drawn.mixed = false;
        co_return !left.empty();
    }

    // An evicted group keeps its Workload and its succeeded pods for replacements of the other pods. The owner who does
    // not want the group any more deletes the Workload.
    os::Task<void> give_up(World* world, Group* group) {
        const QueuedWork* work = find_work(*world, group->drawn.name, {});
        if (!work || !has_condition(*work, "Evicted") || work->metadata.deletion_timestamp) co_return;
        world->user_removes(work->metadata.uid);
        client::Removal removal(work->metadata.uid);
        const client::ObjectName name = client::name_of(*work);
        co_await user_->remove<QueuedWork>(name, std::move(removal));
    }

    // Others may have made the group larger, on some of its pods or all, or changed what its driver says.
    os::Task<void> follow_edits(World* world, Group* group) {
        std::vector<client::ObjectName> smaller;
        for (const Pod* pod : members(*world, *group)) {
            if (is_deleting(*pod) || has_ended(*pod)) continue;
            if (const auto announced = announced_by(*pod)) {
                group->drawn.size = announced->workers + 1;
                group->drawn.request = announced->request;
            }
            if (is_gated(*pod)) group->drawn.size = std::max(group->drawn.size, static_cast<int>(group_size_of(*pod)));
        }
        if (group->drawn.driven) co_return;
        for (const Pod* pod : members(*world, *group))
            if (is_gated(*pod) && !is_deleting(*pod) && group_size_of(*pod) < group->drawn.size)
                smaller.push_back(client::name_of(*pod));
        for (const client::ObjectName& name : smaller) co_await change_group_size(user_.get(), name, group->drawn.size);
    }

    static std::vector<const Pod*> members(const World& world, const Group& group) {
        std::vector<const Pod*> out;
        for (const Pod* pod : world.history.all<Pod>())
            if (group_name_of(*pod) == group.drawn.name) out.push_back(pod);
        return out;
    }

    // Without a Workload the group restarts; pods that the old Workload left behind must be deleted first.
    os::Task<bool> remove_old(World* world, Group* group) {
        std::vector<std::pair<client::ObjectName, Text>> old;
        bool going = false;
        for (const Pod* pod : members(*world, *group)) {
            if (!is_gated(*pod)) old.emplace_back(client::name_of(*pod), pod->metadata.uid);
            going |= !is_gated(*pod);
        }
        for (auto& [name, uid] : old) {
            world->user_removes(uid);
            client::Removal removal(uid);
            co_await user_->remove<Pod>(name, std::move(removal));
        }
        co_return going;
    }

    // What serves is started again when it has ended: another takes its place.
    os::Task<void> remove_ended(World* world, Group* group) {
        for (const Pod* pod : members(*world, *group)) {
            if (!has_ended(*pod) || is_deleting(*pod) || !group->random.chance(1, 3)) continue;
            world->user_removes(pod->metadata.uid);
            client::Removal removal(pod->metadata.uid);
            const client::ObjectName name = client::name_of(*pod);
            co_await user_->remove<Pod>(name, std::move(removal));
            co_return;
        }
    }

    os::Task<void> make_missing(World* world, Group* group) {
        int live = 0;
        bool driver_there = false;
        bool driver_runs = false;
        bool odd_there = !group->drawn.mixed;
        for (const Pod* pod : members(*world, *group)) {
            if (is_deleting(*pod) || pod->status.phase == "Failed") continue;
            // Of a Workload that was deleted: its group had ended.
            if (pod->status.phase == "Succeeded" && !is_held(*pod)) continue;
            const bool driver = pod->metadata.annotations.contains(kSetsAnnotation);
            driver_there |= driver;
            odd_there |= is_odd(*pod);
            driver_runs |= driver && pod->status.phase == "Running";
            ++live;
        }
        // Once in a while it makes one too many.
        const int wanted = group->drawn.size + (group->random.chance(1, 10) ? 1 : 0);
        for (; live < wanted; ++live) {
            const bool driver = group->drawn.driven && !driver_there;
            if (group->drawn.driven && !driver && !driver_runs) co_return;
            const int number = group->made++;
            const int fails = number < kFailuresMax * group->drawn.size && !winding_down_ ? 20 : 0;
            const std::string name = group->drawn.name + "-" + std::to_string(number);
            const bool odd = !odd_there && live + 1 >= group->drawn.size;
            Pod pod = draw_member(group->drawn, odd ? odd_name(name) : name, driver, odd, fails, group->random);
            (void)co_await user_->create<Pod>(std::move(pod));
            odd_there |= odd;
            driver_there |= driver;
            if (group->random.chance(1, 4)) co_return;
        }
    }

    os::Task<void> meddle(World* world) {
        while (!winding_down_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 200ms, 5s, random_));
            if (winding_down_ || !set_up_) continue;
            const client::ObjectName queue("", kQueueNames[random_.below(std::size(kQueueNames))]);
            switch (random_.below(9)) {
                case 0:
                case 1: co_await edit_quota(queue, static_cast<int>(random_.between(kQuotaLeast, kQuotaEnough))); break;
                case 2: co_await stop(queue, draw_stop()); break;
                case 3: co_await stop_local(client::ObjectName("default", queue.name), draw_stop()); break;
                case 4: co_await remove_work(world); break;
                case 5: co_await activate(world, random_.chance(1, 2)); break;
                case 6: co_await remove_job(world); break;
                default: co_await remove_some_pod(world, user_.get(), &random_); break;
            }
        }
        meddling_ = false;
    }

    Text draw_stop() {
        static constexpr const char* kStops[] = {"None", "None", "Hold", "HoldAndDrain"};
        return kStops[random_.below(std::size(kStops))];
    }
    os::Task<void> edit_quota(client::ObjectName name, int milli_cpus) {
        std::function<bool(ClusterQueue&)> edit = [milli_cpus](ClusterQueue& queue) {
            set_quota(queue, milli_cpus);
            return true;
        };
        (void)co_await admin_->change<ClusterQueue>(name, std::move(edit));
    }
    os::Task<void> stop(client::ObjectName name, Text how) {
        std::function<bool(ClusterQueue&)> edit = [how](ClusterQueue& queue) {
            queue.spec.stop_policy = how;
            return true;
        };
        (void)co_await admin_->change<ClusterQueue>(name, std::move(edit));
    }
    os::Task<void> stop_local(client::ObjectName name, Text how) {
        std::function<bool(LocalQueue&)> edit = [how](LocalQueue& queue) {
            queue.spec.stop_policy = how;
            return true;
        };
        (void)co_await admin_->change<LocalQueue>(name, std::move(edit));
    }

    const QueuedWork* pick_work(const World& world) {
        const auto all = world.history.all<QueuedWork>();
        return all.empty() ? nullptr : all[random_.below(all.size())];
    }
    os::Task<void> remove_work(World* world) {
        const QueuedWork* work = pick_work(*world);
        if (!work) co_return;
        world->user_removes(work->metadata.uid);
        client::Removal removal(work->metadata.uid);
        const client::ObjectName name = client::name_of(*work);
        co_await user_->remove<QueuedWork>(name, std::move(removal));
    }
    os::Task<void> activate(World* world, bool active) {
        const QueuedWork* work = pick_work(*world);
        if (!work) co_return;
        const client::ObjectName name = client::name_of(*work);
        co_await set_active(name, active);
    }
    os::Task<void> set_active(client::ObjectName name, bool active) {
        std::function<bool(QueuedWork&)> edit = [active](QueuedWork& work) {
            const bool was = work.spec.active.value_or(true);
            work.spec.active = active;
            return was != active && !has_condition(work, "Finished");
        };
        (void)co_await user_->change<QueuedWork>(name, std::move(edit));
    }
    os::Task<void> remove_job(World* world) {
        const auto jobs = world->history.all<Job>();
        if (jobs.empty()) co_return;
        const Job& job = *jobs[random_.below(jobs.size())];
        client::Removal removal(job.metadata.uid);
        removal.propagation = client::Propagation::kBackground;
        world->user_removes(job.metadata.uid);
        const client::ObjectName name = client::name_of(job);
        co_await user_->remove<Job>(name, std::move(removal));
        if (random_.chance(1, 3)) co_return;
        Job again = draw_queued_job(name.name.str(), settings_, random_);
        (void)co_await user_->create<Job>(std::move(again));
    }

    os::Task<void> meddle_tree(World* world) {
        while (!winding_down_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 500ms, 6s, random_));
            if (winding_down_ || !set_up_) continue;
            const client::ObjectName queue("", kQueueNames[random_.below(std::size(kQueueNames))]);
            const client::ObjectName local("default", queue.name);
            const client::ObjectName high("", "high");
            const client::ObjectName cohort("", kCohortNames[random_.below(std::size(kCohortNames))]);
            const Text stays("=");
            const Text other = random_.chance(1, 4) ? "" : kCohortNames[random_.below(std::size(kCohortNames))];
            switch (random_.below(16)) {
                case 0: co_await remove_thing<LocalQueue>(world, local); break;
                case 1: co_await remove_thing<ClusterQueue>(world, queue); break;
                case 2: co_await remove_thing<Cohort>(world, cohort); break;
                case 3: co_await remove_thing<WorkloadPriorityClass>(world, high); break;
                case 4: co_await change_queue(queue, &Queues::move_to, other); break;
                case 5: co_await change_cohort(cohort, other); break;
                case 6: co_await change_queue(queue, &Queues::change_checks, other); break;
                case 7:
                case 8: co_await change_cohort(cohort, stays); break;
                case 9:
                case 10:
                case 11: co_await make_again(world, false); break;
                default: co_await change_queue(queue, &Queues::change_limits, other); break;
            }
        }
        meddling_tree_ = false;
    }
    void move_to(ClusterQueue& queue, const Text& cohort) { move_queue(queue, cohort, random_); }
    void change_limits(ClusterQueue& queue, const Text&) { draw_limits(queue, random_); }
    void change_checks(ClusterQueue& queue, const Text&) {
        if (settings_.number("checks", 0) != 0) draw_checks(queue, random_);
    }
    os::Task<void> change_queue(client::ObjectName name, void (Queues::*how)(ClusterQueue&, const Text&), Text cohort) {
        std::function<bool(ClusterQueue&)> edit = [this, how, cohort](ClusterQueue& queue) {
            (this->*how)(queue, cohort);
            return true;
        };
        (void)co_await admin_->change<ClusterQueue>(name, std::move(edit));
    }
    // "=" leaves it where it is.
    os::Task<void> change_cohort(client::ObjectName name, Text above) {
        std::function<bool(Cohort&)> edit = [this, above](Cohort& cohort) {
            if (!(above == "=")) cohort.spec.parent_name = above;
            draw_limits(cohort, random_);
            return true;
        };
        (void)co_await admin_->change<Cohort>(name, std::move(edit));
    }
    template <class K>
    os::Task<void> remove_thing(World* world, client::ObjectName name) {
        Text uid;
        for (const K* thing : world->history.template all<K>())
            if (thing->metadata.name == name.name) uid = thing->metadata.uid;
        if (uid.empty()) co_return;
        client::Removal removal(uid);
        co_await admin_->remove<K>(name, std::move(removal));
    }
    template <class K>
    static const K* find_thing(const World& world, std::string_view name) {
        for (const K* thing : world.history.all<K>())
            if (thing->metadata.name == name) return thing;
        return nullptr;
    }
    // What has been deleted and is gone.
    os::Task<bool> make_again(World* world, bool all) {
        bool complete = true;
        for (const char* name : kClassNames)
            if (!find_thing<WorkloadPriorityClass>(*world, name)) {
                complete = false;
                co_await make_class(name);
            }
        for (const char* name : kQueueNames) {
            if (!all && random_.chance(1, 2)) continue;
            const ClusterQueue* queue = find_thing<ClusterQueue>(*world, name);
            complete &= queue && !queue->metadata.deletion_timestamp;
            if (!queue) co_await make_queue(name);
            if (find_thing<LocalQueue>(*world, name)) continue;
            complete = false;
            co_await make_local(name);
        }
        if (!tree_) co_return complete;
        for (const char* name : kCohortNames) {
            if (find_thing<Cohort>(*world, name)) continue;
            complete = false;
            co_await make_cohort(name);
        }
        co_return complete;
    }

    // Opens all queues, with enough quota for all workloads. Workloads that are deactivated later, because their pods
    // were not ready in time, are activated again.
    os::Task<void> let_go(World* world) {
        while (meddling_ || meddling_tree_ || !set_up_ || !created_) co_await os::sleep_for(world->loop, 100ms);
        for (;;) {
            bool complete = co_await make_again(world, true);
            for (const char* name : kCohortNames) {
                const Cohort* cohort = find_thing<Cohort>(*world, name);
                if (!cohort || cohort->spec.parent_name == cohort_above(name)) continue;
                complete = false;
                const client::ObjectName at("", name);
                const Text above(cohort_above(name));
                co_await change_cohort(at, above);
            }
            for (const char* name : kQueueNames)
                if (!co_await open_queue(world, name)) complete = false;
            std::vector<client::ObjectName> works;
            for (const QueuedWork* work : world->history.all<QueuedWork>())
                if (!work->spec.active.value_or(true) && !has_condition(*work, "Finished"))
                    works.push_back(client::name_of(*work));
            for (const client::ObjectName& name : works) co_await set_active(name, true);
            let_go_ = complete;
            co_await os::sleep_for(world->loop, 5s);
        }
    }
    // Whether it was open already.
    os::Task<bool> open_queue(World* world, const char* name) {
        const ClusterQueue* queue = find_thing<ClusterQueue>(*world, name);
        const LocalQueue* local = find_thing<LocalQueue>(*world, name);
        if (!queue || !local) co_return false;
        const bool small = !has_quota(*queue, kQuotaEnough);
        const bool stopped = queue->spec.stop_policy && !(*queue->spec.stop_policy == "None");
        const bool local_stopped = local->spec.stop_policy && !(*local->spec.stop_policy == "None");
        const client::ObjectName at("", name);
        const client::ObjectName local_at("default", name);
        const Text none("None");
        if (small) co_await edit_quota(at, kQuotaEnough);
        if (stopped) co_await stop(at, none);
        if (local_stopped) co_await stop_local(local_at, none);
        co_return !small && !stopped && !local_stopped;
    }

    const Settings settings_;
    Prng random_;
    const bool tree_;
    std::unique_ptr<User> user_;
    std::unique_ptr<User> admin_;
    std::vector<Group> groups_;
    bool set_up_ = false;
    bool created_ = false;
    bool meddling_ = false;
    bool meddling_tree_ = false;
    bool winding_down_ = false;
    bool let_go_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_queues(const Settings& settings, Prng random) {
    return std::make_unique<Queues>(settings, random);
}

}  // namespace muster::sim
