// Jobs of every kind and temper, and users who meddle with them: suspend and resume, scale, delete Jobs with each
// propagation policy and pods at the worst moment.
#include "sim/checkers/job_facts.h"
#include "sim/workloads/ended.h"
#include "sim/workloads/job_manifest.h"
#include "sim/workloads/list.h"
#include "sim/workloads/meddling.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

class Jobs final : public Workload {
public:
    Jobs(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "jobs-user");
        count_ = settings_.number("count", 1);
        world.user_tasks().spawn(create_all(&world));
        meddling_ = settings_.number("meddle", 0) != 0;
        if (meddling_) world.user_tasks().spawn(meddle(&world));
    }

    void wind_down(World& world) override {
        winding_down_ = true;
        world.user_tasks().spawn(let_go(&world));
    }

    std::string why_not_over(World& world) const override {
        if (created_ < count_ || !let_go_) return "users are not done";
        return why_not_ended(world);
    }

private:
    static client::ObjectName name_of_job(std::int64_t number) { return {"default", "j" + std::to_string(number)}; }

    os::Task<void> create_all(World* world) {
        for (std::int64_t i = 0; i < count_; ++i) {
            Job job = draw_job("j" + std::to_string(i), settings_, random_);
            (void)co_await user_->create<Job>(std::move(job));
            ++created_;
            co_await os::sleep_for(world->loop, Duration(random_.between(0, Duration(2s).count())));
        }
    }

    os::Task<void> meddle(World* world) {
        while (!winding_down_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 100ms, 4s, random_));
            if (winding_down_ || created_ == 0) continue;
            const client::ObjectName name =
                name_of_job(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(created_))));
            switch (random_.below(10)) {
                case 0:
                case 1: co_await set_suspended(name, random_.chance(1, 2)); break;
                case 2: co_await scale(name, static_cast<std::int32_t>(random_.between(0, 6))); break;
                case 3: co_await resize(name, static_cast<std::int32_t>(random_.between(1, 8))); break;
                case 4: co_await remove_job(world, name, false); break;
                case 6: co_await remove_job(world, name, true); break;
                case 7: co_await change_ttl(name, static_cast<std::int32_t>(random_.between(0, 60))); break;
                case 5: co_await touch(name); break;
                default: co_await remove_some_pod(world, user_.get(), &random_); break;
            }
        }
        meddling_ = false;
    }

    os::Task<void> set_suspended(client::ObjectName name, bool suspended) {
        std::function<bool(Job&)> edit = [suspended](Job& job) {
            job.spec.suspend = suspended;
            return true;
        };
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    os::Task<void> scale(client::ObjectName name, std::int32_t parallelism) {
        std::function<bool(Job&)> edit = [parallelism](Job& job) {
            job.spec.parallelism = parallelism;
            return true;
        };
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    // An elastic Job: completions follow parallelism.
    os::Task<void> resize(client::ObjectName name, std::int32_t size) {
        std::function<bool(Job&)> edit = [size](Job& job) {
            if (!is_indexed(job) || job.spec.completions != job.spec.parallelism) return false;
            job.spec.parallelism = job.spec.completions = size;
            return true;
        };
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    os::Task<void> touch(client::ObjectName name) {
        const std::string value = std::to_string(random_.below(1000));
        std::function<bool(Job&)> edit = [value](Job& job) {
            job.metadata.labels.set("touched", value);
            return true;
        };
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    // A day more, or less, for a Job that may be about to go.
    os::Task<void> change_ttl(client::ObjectName name, std::int32_t seconds) {
        std::function<bool(Job&)> edit = [seconds](Job& job) {
            if (!job.spec.ttl_seconds_after_finished) return false;
            job.spec.ttl_seconds_after_finished = seconds;
            return true;
        };
        (void)co_await user_->change<Job>(name, std::move(edit));
    }
    // And perhaps makes another one under the same name.
    os::Task<void> remove_job(World* world, client::ObjectName name, bool recreate) {
        Text uid;
        for (const Job* job : world->history.all<Job>())
            if (job->metadata.name == name.name) uid = job->metadata.uid;
        if (uid.empty()) co_return;
        client::Removal removal(uid);
        const std::uint64_t how = random_.below(4);
        if (how < 3) removal.propagation = static_cast<client::Propagation>(how);
        world->user_removes(uid);
        co_await user_->remove<Job>(name, std::move(removal));
        if (!recreate) co_return;
        co_await os::sleep_for(world->loop, Duration(random_.between(0, Duration(3s).count())));
        Job job = draw_job(name.name.str(), settings_, random_);
        (void)co_await user_->create<Job>(std::move(job));
    }

    // Resumes suspended Jobs and gives Jobs with parallelism 0 one pod, so that all can finish.
    os::Task<void> let_go(World* world) {
        while (created_ < count_ || meddling_) co_await os::sleep_for(world->loop, 100ms);
        for (std::int64_t i = 0; i < count_; ++i) {
            std::function<bool(Job&)> edit = [](Job& job) {
                const bool waits = job.spec.suspend.value_or(false) || job.spec.parallelism == 0;
                job.spec.suspend = false;
                if (job.spec.parallelism == 0) job.spec.parallelism = 1;
                return waits && !is_finished(job);
            };
            const client::ObjectName name = name_of_job(i);
            (void)co_await user_->change<Job>(name, std::move(edit));
        }
        let_go_ = true;
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    std::int64_t count_ = 0;
    std::int64_t created_ = 0;
    bool meddling_ = false;
    bool winding_down_ = false;
    bool let_go_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_jobs(const Settings& settings, Prng random) {
    return std::make_unique<Jobs>(settings, random);
}

}  // namespace muster::sim
