// Machines: they stop with all that runs on them and come back, refuse to start processes, and their keeper loses touch
// with the agent.
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class MachinesFault final : public Fault {
public:
    MachinesFault(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override {
        for (auto& machine : world.machines())
            machine->refuse_permille = static_cast<int>(settings_.number("refuse", 0));
        world.user_tasks().spawn(run(&world));
    }
    void heal(World& world) override {
        healed_ = true;
        for (auto& machine : world.machines()) machine->refuse_permille = 0;
    }

private:
    os::Task<void> run(World* world) {
        while (!healed_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 1s, 15s, random_));
            if (healed_) break;
            const std::size_t machine = random_.below(world->machines().size());
            const Duration away = settings_.span_between("for", 100ms, 20s, random_);
            const bool reboot = random_.chance(static_cast<std::uint64_t>(settings_.number("reboot", 50)), 100);
            world->at_boundary(
                [world, machine, away, reboot] {
                    if (reboot) return world->reboot_machine(machine, away);
                    world->note("*", world->machines()[machine]->name().str() + ": touch is lost");
                    if (MachineRuns* runtime = world->runtime_of(machine)) runtime->lose_touch(away);
                },
                random_.below(32));
        }
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_machines(const Settings& settings, Prng random) {
    return std::make_unique<MachinesFault>(settings, random);
}

}  // namespace muster::sim
