// What befalls one of several instances that fight for a lease: all of its connections are cut off, its process stands
// still for a while and then goes on as if nothing had been, its wall clock is set, it is told to stop in good order.
#include "base/reached.h"
#include "sim/faults/list.h"
#include "sim/world/hosts.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class InstancesFault final : public Fault {
public:
    InstancesFault(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override { world.user_tasks().spawn(run(&world)); }
    void heal(World&) override { healed_ = true; }

private:
    os::Task<void> run(World* world) {
        while (!healed_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 1s, 15s, random_));
            if (healed_) break;
            const std::size_t target = random_.below(world->instances());
            const Duration span = settings_.span_between("for", 100ms, 20s, random_);
            const std::uint64_t what = random_.below(4);
            const std::int64_t most = settings_.number("jump_ms", 3000);
            const Duration jump = std::chrono::milliseconds(random_.between(-most, most));
            const std::uint64_t steps = random_.below(32);
            if (what == 0) world->user_tasks().spawn(cut_off(world, target, span));
            if (what == 1) world->at_boundary([world, target, span] { pause(world, target, span); }, steps);
            if (what == 2) world->at_boundary([world, target, jump] { set_clock(world, target, jump); }, steps);
            if (what == 3) world->at_boundary([world, target, span] { world->stop_instance(target, span / 4); }, steps);
        }
    }

    static os::Task<void> cut_off(World* world, std::size_t target, Duration span) {
        set_cut_off(world, target, true);
        co_await os::sleep_for(world->loop, span);
        set_cut_off(world, target, false);
    }
    static void set_cut_off(World* world, std::size_t target, bool cut) {
        const std::string place = "@" + std::to_string(target);
        world->note("*", "instance " + place + (cut ? " is cut off" : " is there again"));
        for (const auto& [name, line] : world->network.lines())
            if (name.ends_with(place)) line->cut_off = cut;
    }
    static void pause(World* world, std::size_t target, Duration span) {
        ControllersHost* host = world->instance(target);
        if (!host) return;
        world->note("*", "instance @" + std::to_string(target) + " stands still");
        REACHED("an instance stands still");
        host->loop().pause(span);
    }
    static void set_clock(World* world, std::size_t target, Duration jump) {
        ControllersHost* host = world->instance(target);
        if (!host) return;
        host->loop().jump_wall_clock(jump);
        world->clock_jumped(jump);
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_instances(const Settings& settings, Prng random) {
    return std::make_unique<InstancesFault>(settings, random);
}

}  // namespace muster::sim
