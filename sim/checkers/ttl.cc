// A Job that no user deleted is deleted only after it has finished and its TTL has passed, by the controllers' clock.
// Once the world is healed it is deleted soon after that.
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/checkers/namespace_facts.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

constexpr Duration kLateMax = 5min;

class Ttl final : public Checker {
public:
    std::string_view name() const override { return "ttl"; }

    void on_user_removal(World&, std::string_view uid) override { removed_by_user_.insert(std::string(uid)); }
    void on_clock_jump(World&, Duration jump) override { slack_ += jump < Duration() ? -jump : jump; }
    void on_backup(World&) override { backup_ = finished_at_; }
    void on_restore(World&) override { finished_at_ = backup_; }
    void on_healed(World& world) override { healed_at_ = world.loop.uptime(); }

    void on_change(World& world, const Change& change) override {
        if (!change.is<Job>() || !change.before) return;
        const Job& before = *change.before_as<Job>();
        const Job* now = change.now_as<Job>();
        if (now && is_finished(*now) && !is_finished(before)) finished_at_[now->metadata.uid] = world.loop.uptime();
        const bool goes = !is_deleting(before) && (!now || is_deleting(*now));
        if (!goes || removed_by_user_.contains(before.metadata.uid.str())) return;
        if (!before.metadata.owner_references.empty()) return;  // a CronJob keeps its own house
        if (is_emptied(world, before.metadata.namespace_)) return;
        if (!is_finished(before)) return world.fail(name(), before.metadata.name, "goes before it has finished");
        if (!before.spec.ttl_seconds_after_finished)
            return world.fail(name(), before.metadata.name, "goes and has no time to live");
        const Duration ttl = std::chrono::seconds(*before.spec.ttl_seconds_after_finished);
        const Duration due = finished_at_[before.metadata.uid] + ttl;
        const Duration skew = 2 * std::chrono::milliseconds(world.settings().number("skew_ms", 0));
        const Instant due_by_clock = finish_time(before) + ttl;
        if (world.loop.now() + skew + slack_ < due_by_clock)
            world.fail(name(), before.metadata.name,
                       "goes " + seconds(due_by_clock - world.loop.now()) + " s too early");
        if (world.healed() && world.loop.uptime() > std::max(due, healed_at_) + kLateMax + skew + slack_)
            world.fail(name(), before.metadata.name, "goes " + seconds(world.loop.uptime() - due) + " s too late");
    }

private:
    // As the status tells it.
    static Instant finish_time(const Job& job) {
        const auto* end = find_condition(job, has_condition(job, "Complete") ? "Complete" : "Failed");
        return end->last_transition_time.instant();
    }
    static std::string seconds(Duration span) { return std::to_string(std::chrono::duration<double>(span).count()); }

    std::set<std::string> removed_by_user_;
    std::map<Text, Duration> finished_at_;
    std::map<Text, Duration> backup_;  // of those
    Duration slack_{};                 // by how much the clock has been set, in all
    Duration healed_at_{};
};

}  // namespace

std::unique_ptr<Checker> make_ttl() { return std::make_unique<Ttl>(); }

}  // namespace muster::sim
