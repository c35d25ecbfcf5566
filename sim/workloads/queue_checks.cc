// The controller of admission checks: sets Ready late, asks for a retry, rejects, changes its decision about running
// workloads, or decides nothing until the world is healed. Sometimes its checks are inactive.
#include "sim/checkers/queue_facts.h"
#include "sim/workloads/list.h"
#include "sim/workloads/queues_tree.h"
#include "sim/workloads/user.h"

namespace muster::sim {
namespace {

using api::kueue::AdmissionCheck;

class QueueChecks final : public Workload {
public:
    QueueChecks(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        world_ = &world;
        user_ = std::make_unique<User>(world, "checks");
        world.user_tasks().spawn(run(&world));
    }
    void wind_down(World&) override { winding_down_ = true; }
    std::string why_not_over(World&) const override { return winding_down_ ? "" : "checks are still being decided"; }

private:
    os::Task<void> run(World* world) {
        for (;;) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 100ms, 2s, random_));
            for (const char* name : kCheckNames) co_await keep_check(world, name);
            std::vector<client::ObjectName> works;
            for (const QueuedWork* work : world->history.all<QueuedWork>())
                if (is_undecided(*work) || changes_mind(*work)) works.push_back(client::name_of(*work));
            for (const client::ObjectName& name : works) co_await decide(name);
        }
    }

    // Keeps the check's condition Active, which is sometimes false.
    os::Task<void> keep_check(World* world, const char* name) {
        const AdmissionCheck* known = nullptr;
        for (const AdmissionCheck* check : world->history.all<AdmissionCheck>())
            if (check->metadata.name == name) known = check;
        if (!known) {
            AdmissionCheck draft = make_check(name);
            (void)co_await user_->create<AdmissionCheck>(std::move(draft));
            co_return;
        }
        const bool works = winding_down_ || !random_.chance(1, 40);
        const bool says = !known->status.conditions.empty() && known->status.conditions[0].status == "True";
        if (works == says || (!works && !random_.chance(1, 2))) co_return;
        const client::ObjectName at("", name);
        const Result<client::Ref<AdmissionCheck>> read = co_await user_->client().get<AdmissionCheck>(at);
        if (!read.ok()) co_return;
        AdmissionCheck draft = **read;
        api::meta::Condition condition;
        condition.type = "Active";
        condition.status = works ? "True" : "False";
        condition.reason = works ? "Active" : "Away";
        condition.last_transition_time = api::Time::from_instant(world->loop.now());
        draft.status.conditions = {condition};
        (void)co_await user_->client().change_status<AdmissionCheck>(*read, std::move(draft));
    }

    // One in five is left alone until all is healed.
    bool is_undecided(const QueuedWork& work) const {
        if (!holds_quota(work) || has_condition(work, "Evicted")) return false;
        const std::string_view uid = work.metadata.uid;
        if (!winding_down_ && !uid.empty() && uid.back() % 5 == 0) return false;
        for (const auto& check : work.status.admission_checks)
            if (check.state == "Pending") return true;
        return false;
    }
    bool changes_mind(const QueuedWork& work) {
        return !winding_down_ && holds_quota(work) && !work.status.admission_checks.empty() && random_.chance(1, 100);
    }

    os::Task<void> decide(client::ObjectName name) {
        const Result<client::Ref<QueuedWork>> read = co_await user_->client().get<QueuedWork>(name);
        if (!read.ok() || !holds_quota(**read) || has_condition(**read, "Evicted")) co_return;
        QueuedWork draft = **read;
        const bool again = !is_undecided(draft);
        for (auto& check : draft.status.admission_checks.edit()) {
            if (!again && !(check.state == "Pending")) continue;
            if (!winding_down_ && random_.chance(1, 3)) continue;
            const Text state = draw_state(again);
            if (check.state == state) continue;
            check.state = state;
            check.last_transition_time = api::Time::from_instant(world_->loop.now());
            check.message = "so decided";
            check.requeue_after_seconds.reset();
            if (state == "Retry" && random_.chance(1, 2))
                check.requeue_after_seconds = static_cast<std::int32_t>(random_.between(0, 4));
        }
        (void)co_await user_->client().change_status<QueuedWork>(*read, std::move(draft));
    }
    Text draw_state(bool again) {
        if (winding_down_) return "Ready";
        const std::uint64_t drawn = random_.below(again ? 6 : 20);
        return drawn == 0 ? "Rejected" : drawn < 4 ? "Retry" : "Ready";
    }

    const Settings settings_;
    Prng random_;
    World* world_ = nullptr;
    std::unique_ptr<User> user_;
    bool winding_down_ = false;
};

}  // namespace

std::unique_ptr<Workload> make_queue_checks(const Settings& settings, Prng random) {
    return std::make_unique<QueueChecks>(settings, random);
}

}  // namespace muster::sim
