// Users who change what waits in queues, or has started from them: Jobs are scaled, resized, suspended, and moved with
// single pods to other queues and priority classes. A running Job that is changed has to queue anew, one that waits
// takes its Workload along. Whoever was scaled to nothing is given one pod again when all is healed.
#include "sim/checkers/queue_facts.h"
#include "sim/workloads/list.h"
#include "sim/workloads/queue_manifest.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

constexpr const char* kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr const char* kClassLabel = "kueue.x-k8s.io/priority-class";
constexpr std::int32_t kPodsMax = 3;

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
            if (random_.chance(1, 4))
                co_await edit_pod(world);
            else
                co_await edit_job(world);
        }
        std::vector<client::ObjectName> empty;
        for (const Job* job : world->history.all<Job>())
            if (job->spec.parallelism == 0) empty.push_back(client::name_of(*job));
        for (const client::ObjectName& name : empty) {
            std::function<bool(Job&)> edit = [](Job& job) {
                const bool waits = job.spec.parallelism == 0;
                job.spec.parallelism = 1;
                return waits;
            };
            (void)co_await user_->change<Job>(name, std::move(edit));
        }
        done_ = true;
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
