// No storm of evictions: a Workload is preempted at most five times a minute in one life of the server, whatever the
// policies of queues demand. The times are in the server's memory and go by its clock, so nothing is judged where
// clocks jump or where the controllers die on their own.
#include <deque>
#include <map>

#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

class Evictions final : public Checker {
public:
    std::string_view name() const override { return "evictions"; }

    void on_change(World& world, const Change& change) override {
        if (!change.is<QueuedWork>() || !world.is_embedded() || has_fault(world, {"clock"})) return;
        if (!change.now) return (void)times_.erase(change.before_as<QueuedWork>()->metadata.uid);
        const QueuedWork& now = *change.now_as<QueuedWork>();
        const QueuedWork* before = change.before_as<QueuedWork>();
        if (!before || !has_condition(now, "Preempted") || has_condition(*before, "Preempted")) return;
        std::deque<Duration>& times = times_[now.metadata.uid];
        times.push_back(world.loop.uptime());
        while (times.front() + kWindow < world.loop.uptime()) times.pop_front();
        if (times.size() > kMost)
            world.fail(name(), now.metadata.name,
                       "is preempted " + std::to_string(times.size()) + " times in a minute");
    }
    void on_boot(World&) override { times_.clear(); }

private:
    static constexpr std::size_t kMost = 5;
    // What is durable may be so later than it was decided.
    static constexpr Duration kWindow = 57s;

    std::map<Text, std::deque<Duration>> times_;  // by UID
};

}  // namespace

std::unique_ptr<Checker> make_evictions() { return std::make_unique<Evictions>(); }

}  // namespace muster::sim
