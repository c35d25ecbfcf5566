// Users who try to start work without quota: they resume queued Jobs, remove the gates of queued pods, and make pods
// and Jobs in the name of a queued Job. Each must be refused. Others leave Workloads without an owner, by deleting a
// Job and not what it owns or by removing the reference, change what a priority class is worth, raise the limits of
// Jobs that wait, and make the Workload of a group before its pods.
#include "api/codec/decode.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "sim/checkers/queue_facts.h"
#include "sim/workloads/list.h"
#include "sim/workloads/meddling.h"
#include "sim/workloads/queue_manifest.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::kueue::WorkloadPriorityClass;

constexpr const char* kEarlyGroup = "early";

class QueueTricks final : public Workload {
public:
    QueueTricks(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "queue-tricks");
        world.user_tasks().spawn(try_all(&world));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World&) const override { return done_ ? "" : "users still try to start queued work"; }

private:
    os::Task<void> try_all(World* world) {
        while (!winding_down_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 200ms, 3s, random_));
            if (winding_down_) break;
            switch (random_.below(9)) {
                case 0: co_await resume(world); break;
                case 1: co_await open_gate(world); break;
                case 2: co_await make_pod_of_job(world); break;
                case 3: co_await make_job_of_job(world); break;
                case 4: co_await leave_behind(world); break;
                case 5: co_await remove_owners(world); break;
                case 6: co_await revalue_class(); break;
                case 7: co_await raise_limits(world); break;
                default: co_await make_early_group(); break;
            }
        }
        // No user replaces the pods of these groups: what waits for others is deleted, and the Workloads, too, since a
        // group that was evicted keeps pods that have succeeded until its Workload goes.
        for (;;) {
            std::vector<std::pair<client::ObjectName, Text>> works;
            for (const QueuedWork* work : world->history.all<QueuedWork>())
                if (work->metadata.name.view().starts_with(kEarlyGroup) && !work->metadata.deletion_timestamp)
                    works.emplace_back(client::name_of(*work), work->metadata.uid);
            for (auto& [name, uid] : works) {
                world->user_removes(uid);
                client::Removal removal(uid);
                co_await user_->remove<QueuedWork>(name, std::move(removal));
            }
            std::vector<std::pair<client::ObjectName, Text>> waiting;
            for (const Pod* pod : world->history.all<Pod>())
                if (group_name_of(*pod).view().starts_with(kEarlyGroup) && !is_deleting(*pod))
                    waiting.emplace_back(client::name_of(*pod), pod->metadata.uid);
            for (auto& [name, uid] : waiting) {
                world->user_removes(uid);
                client::Removal removal(uid);
                co_await user_->remove<Pod>(name, std::move(removal));
            }
            done_ = waiting.empty() && works.empty();
            co_await os::sleep_for(world->loop, 3s);
        }
    }

    const Job* pick_job(const World& world, bool suspended) {
        auto jobs = world.history.all<Job>();
        std::erase_if(jobs, [&](const Job* job) {
            return is_finished(*job) || is_deleting(*job) || (suspended && !job->spec.suspend.value_or(false));
        });
        return jobs.empty() ? nullptr : jobs[random_.below(jobs.size())];
    }

    os::Task<void> resume(World* world) {
        const Job* job = pick_job(*world, true);
        if (!job) co_return;
        std::function<bool(Job&)> edit = [](Job& draft) {
            const bool waits = draft.spec.suspend.value_or(false) && !draft.metadata.deletion_timestamp;
            draft.spec.suspend = false;
            return waits;
        };
        const client::ObjectName name = client::name_of(*job);
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    os::Task<void> open_gate(World* world) {
        std::vector<client::ObjectName> gated;
        for (const Pod* pod : world->history.all<Pod>())
            if (is_gated(*pod)) gated.push_back(client::name_of(*pod));
        if (gated.empty()) co_return;
        std::function<bool(Pod&)> edit = [](Pod& draft) {
            const bool waits = is_gated(draft);
            draft.spec.scheduling_gates.reset();
            return waits;
        };
        const client::ObjectName name = gated[random_.below(gated.size())];
        (void)co_await user_->change<Pod>(name, std::move(edit));
    }

    static std::string named_by(const Job& job, const std::string& name) {
        return "metadata: {name: " + name +
               ", namespace: default, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: " +
               job.metadata.name.str() + ", uid: " + job.metadata.uid.str() + ", controller: true}]}\n";
    }
    os::Task<void> make_pod_of_job(World* world) {
        const Job* job = pick_job(*world, false);
        if (!job) co_return;
        auto pod = api::from_yaml<Pod>(named_by(*job, "trick-" + std::to_string(made_++)) +
                                       "spec: {restartPolicy: Never, containers: [{name: c, image: i}]}\n");
        (void)co_await user_->create<Pod>(std::move(*pod));
    }
    os::Task<void> make_job_of_job(World* world) {
        const Job* job = pick_job(*world, false);
        if (!job) co_return;
        auto child = api::from_yaml<Job>(named_by(*job, "trick-" + std::to_string(made_++)) +
                                         "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "
                                         "i}]}}}\n");
        child->metadata.labels.set("kueue.x-k8s.io/queue-name", "a");
        (void)co_await user_->create<Job>(std::move(*child));
    }

    // Its pods run on, and its Workload stays without an owner.
    os::Task<void> leave_behind(World* world) {
        const Job* job = pick_job(*world, false);
        if (!job) co_return;
        client::Removal removal(job->metadata.uid);
        removal.propagation = client::Propagation::kOrphan;
        world->user_removes(job->metadata.uid);
        const client::ObjectName name = client::name_of(*job);
        co_await user_->remove<Job>(name, std::move(removal));
    }
    os::Task<void> remove_owners(World* world) {
        auto works = world->history.all<QueuedWork>();
        std::erase_if(works, [](const QueuedWork* work) { return work->metadata.owner_references.empty(); });
        if (works.empty()) co_return;
        std::function<bool(QueuedWork&)> edit = [](QueuedWork& work) {
            work.metadata.owner_references = {};
            return true;
        };
        const client::ObjectName name = client::name_of(*works[random_.below(works.size())]);
        (void)co_await user_->change<QueuedWork>(name, std::move(edit));
    }
    os::Task<void> revalue_class() {
        const int value = static_cast<int>(random_.between(-20, 20));
        std::function<bool(WorkloadPriorityClass&)> edit = [value](WorkloadPriorityClass& draft) {
            draft.value = value;
            return true;
        };
        const client::ObjectName name("", random_.chance(1, 2) ? "low" : "high");
        (void)co_await user_->change<WorkloadPriorityClass>(name, std::move(edit));
    }
    // Of the pod as a whole, which requests as much then.
    os::Task<void> raise_limits(World* world) {
        const Job* job = pick_job(*world, true);
        if (!job) co_return;
        const std::string amount = std::to_string(random_.between(50, kRequestMax)) + "m";
        std::function<bool(Job&)> edit = [amount](Job& draft) {
            api::core::PodSpec& spec = draft.spec.template_.spec;
            spec.resources.edit().limits.set("cpu", api::Quantity::parse(amount).value());
            for (auto& container : spec.containers.edit()) container.resources.requests.erase("cpu");
            return draft.spec.suspend.value_or(false);
        };
        const client::ObjectName name = client::name_of(*job);
        (void)co_await user_->change<Job>(name, std::move(edit));
    }

    os::Task<void> make_early_group() {
        const std::string group = kEarlyGroup + std::to_string(made_++);
        const std::string queue = kQueueNames[random_.below(std::size(kQueueNames))];
        const std::string spec =
            "{restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{name: c, image: i, resources: "
            "{requests: {cpu: 100m}}}]}";
        auto work = api::from_yaml<QueuedWork>(
            "metadata: {name: " + group +
            ", namespace: default, annotations: {kueue.x-k8s.io/is-group-workload: \"true\"}}\nspec: {queueName: " +
            queue + ", podSets: [{name: main, count: 2, template: {spec: " + spec + "}}]}\n");
        if (!co_await user_->create<QueuedWork>(std::move(*work))) co_return;
        for (int i = 0; i < 2; ++i) {
            auto pod = api::from_yaml<Pod>(
                "metadata: {name: " + group + "-" + std::to_string(i) +
                ", namespace: default, labels: {kueue.x-k8s.io/queue-name: " + queue +
                ", kueue.x-k8s.io/pod-group-name: " + group + ", kueue.x-k8s.io/prebuilt-workload-name: " + group +
                "}, annotations: {kueue.x-k8s.io/pod-group-total-count: \"2\"}}\nspec: " + spec + "\n");
            (void)co_await user_->create<Pod>(std::move(*pod));
        }
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    int made_ = 0;
    bool winding_down_ = false;
    bool done_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_queue_tricks(const Settings& settings, Prng random) {
    return std::make_unique<QueueTricks>(settings, random);
}

}  // namespace muster::sim
