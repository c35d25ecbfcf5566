// The server dies, at any step, and comes back from its disk: every so often, by time and then by a number of steps, so
// that it hits between any two of them. On a cluster the controllers and the agents die as well, each alone, unless
// the scenario says only=server.
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Crash final : public Fault {
public:
    Crash(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override { world.user_tasks().spawn(run(&world)); }
    void heal(World&) override { healed_ = true; }

private:
    static constexpr std::uint64_t kServer = 2;

    os::Task<void> run(World* world) {
        while (!healed_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 200ms, 5s, random_));
            if (healed_) break;
            const Duration back = settings_.span_between("for", 1ms, 1s, random_);
            const std::uint64_t steps = random_.below(64);
            const std::uint64_t drawn = random_.below(4);
            const std::uint64_t target = settings_.text("only", "any") == "server" ? kServer : drawn;
            const std::size_t machine = random_.below(world->machines().size());
            world->at_boundary(
                [world, back, target, machine] {
                    if (target == 0) return world->crash_controllers(back);
                    if (target == 1) return world->crash_agent(machine, back);
                    world->crash_server(back);
                },
                steps);
        }
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_crash(const Settings& settings, Prng random) {
    return std::make_unique<Crash>(settings, random);
}

}  // namespace muster::sim
