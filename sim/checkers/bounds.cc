// What is kept stays within its bounds, and at rest nothing piles up: no write waits for the disk, histories are as
// long as they may be, and timers and requests under way are few.
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

constexpr std::size_t kTimersMax = 1000;
constexpr std::size_t kBlockSlack = 128;

class Bounds final : public Checker {
public:
    std::string_view name() const override { return "bounds"; }

    void at_rest(World& world) override {
        if (!world.server()) return world.fail(name(), "the server", "it is not there");
        const store::StoreStats stats = world.server()->store().stats();
        if (world.loop.timers() > kTimersMax)
            world.fail(name(), "the loop", std::to_string(world.loop.timers()) + " timers wait");
        const auto most = static_cast<std::size_t>(world.settings().number("history", 200'000));
        // Each resource has a history of its own.
        if (stats.history_events > 8 * (most + kBlockSlack))
            world.fail(name(), "the store", std::to_string(stats.history_events) + " events are kept");
        if (stats.waiting_changes > 100)
            world.fail(name(), "the store", std::to_string(stats.waiting_changes) + " changes wait for the disk");
    }
};

}  // namespace

std::unique_ptr<Checker> make_bounds() { return std::make_unique<Bounds>(); }

}  // namespace muster::sim
