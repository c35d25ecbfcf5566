// The wall clock is set forward or back, for everybody at once; spans of time do not notice. That clocks differ between
// processes is the world's own setting (skew_ms).
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class ClockFault final : public Fault {
public:
    ClockFault(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override { world.user_tasks().spawn(run(&world)); }
    void heal(World&) override { healed_ = true; }

private:
    os::Task<void> run(World* world) {
        while (!healed_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 1s, 15s, random_));
            if (healed_) break;
            const std::int64_t most = settings_.number("jump_ms", 3000);
            const Duration jump = std::chrono::milliseconds(random_.between(-most, most));
            world->loop.jump_wall_clock(jump);
            world->clock_jumped(jump);
        }
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_clock(const Settings& settings, Prng random) {
    return std::make_unique<ClockFault>(settings, random);
}

}  // namespace muster::sim
