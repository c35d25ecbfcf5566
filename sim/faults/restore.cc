// A backup is taken, and later the server's data is replaced by it: what was written since is gone, and versions go
// back. Controllers are restarted, as Kubernetes' documents recommend; agents go on unless restart=all.
#include "base/reached.h"
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class RestoreFault final : public Fault {
public:
    RestoreFault(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override { world.user_tasks().spawn(run(&world)); }
    void heal(World&) override { healed_ = true; }

private:
    // Longer than any packet is on its way: an answer does not outlive the server that gave it.
    static constexpr Duration kAwayMin = 10s;

    os::Task<void> run(World* world) {
        co_await os::sleep_for(world->loop, settings_.span_between("every", 1s, 15s, random_));
        if (healed_) co_return;
        world->at_boundary([world] { world->back_up(100ms); }, random_.below(64));
        co_await os::sleep_for(world->loop, settings_.span_between("for", 1s, 20s, random_));
        // Where a client does not know of any version since the backup, no one can tell it that versions went back: the
        // server would have passed what it knows by the time it asks.
        while (!healed_ && !world->all_know_versions_since_backup()) co_await os::sleep_for(world->loop, 500ms);
        if (healed_) co_return;
        const bool agents_too = settings_.text("restart", "controllers") == "all";
        world->at_boundary([world, agents_too] { world->restore(kAwayMin, agents_too); }, random_.below(64));
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_restore(const Settings& settings, Prng random) {
    return std::make_unique<RestoreFault>(settings, random);
}

}  // namespace muster::sim
