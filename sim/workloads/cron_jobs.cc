// CronJobs that start a Job every minute, with each concurrency policy; users suspend, resume and delete them.
#include "api/codec/decode.h"
#include "sim/workloads/ended.h"
#include "sim/workloads/list.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::batch::CronJob;

class CronJobs final : public Workload {
public:
    CronJobs(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        user_ = std::make_unique<User>(world, "cron-user");
        count_ = settings_.number("count", 1);
        world.user_tasks().spawn(run(&world));
    }
    void wind_down(World& world) override {
        winding_down_ = true;
        world.user_tasks().spawn(suspend_all(&world));
    }
    std::string why_not_over(World& world) const override {
        return over_ ? why_not_ended(world) : "the user of CronJobs is not done";
    }

private:
    static client::ObjectName name_of_cron(std::int64_t number) { return {"default", "c" + std::to_string(number)}; }

    CronJob draw_cron(const std::string& name) {
        static constexpr const char* kPolicies[] = {"Allow", "Forbid", "Replace"};
        const std::string text =
            "metadata: {name: " + name +
            ", namespace: default}\nspec: {schedule: \"* * * * *\", concurrencyPolicy: " + kPolicies[random_.below(3)] +
            ", successfulJobsHistoryLimit: " + std::to_string(random_.between(0, 2)) +
            ", failedJobsHistoryLimit: " + std::to_string(random_.between(0, 2)) +
            ", jobTemplate: {spec: {backoffLimit: 1, completions: 2, parallelism: 2, template: {metadata: "
            "{annotations: {" +
            kRunAnnotation + ": \"span=100ms.." + std::to_string(random_.between(1, 90)) +
            "s fail=20\"}}, spec: {restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{name: c, "
            "image: i}]}}}}}\n";
        return api::from_yaml<CronJob>(text).value();
    }

    os::Task<void> run(World* world) {
        for (std::int64_t i = 0; i < count_; ++i) {
            CronJob draft = draw_cron("c" + std::to_string(i));
            (void)co_await user_->create<CronJob>(std::move(draft));
        }
        while (!winding_down_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 10s, 90s, random_));
            if (winding_down_) break;
            const bool suspended = random_.chance(1, 3);
            std::function<bool(CronJob&)> edit = [suspended](CronJob& cron) {
                cron.spec.suspend = suspended;
                return true;
            };
            const client::ObjectName name =
                name_of_cron(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(count_))));
            (void)co_await user_->change<CronJob>(name, std::move(edit));
        }
        done_ = true;
    }
    os::Task<void> suspend_all(World* world) {
        while (!done_) co_await os::sleep_for(world->loop, 100ms);
        for (std::int64_t i = 0; i < count_; ++i) {
            std::function<bool(CronJob&)> edit = [](CronJob& cron) {
                cron.spec.suspend = true;
                return true;
            };
            (void)co_await user_->change<CronJob>(name_of_cron(i), std::move(edit));
        }
        // A controller whose watch comes back only now has not seen it, and may still replace one Job by another.
        co_await os::sleep_for(world->loop, 1min);
        over_ = true;
    }

    const Settings settings_;
    Prng random_;
    std::unique_ptr<User> user_;
    std::int64_t count_ = 0;
    bool done_ = false;  // with what they do while faults are on
    bool winding_down_ = false;
    bool over_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_cron_jobs(const Settings& settings, Prng random) {
    return std::make_unique<CronJobs>(settings, random);
}

}  // namespace muster::sim
