// Jobs are handed over from our Job controller to upstream's (world/upstream_jobs.h) and back: one is switched off, and
// the other on, with none of them for a while between, or both.
#include "base/reached.h"
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Handover final : public Fault {
public:
    Handover(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override { world.user_tasks().spawn(run(&world)); }
    void heal(World& world) override {
        healed_ = true;
        world.set_job_controllers(true, false);
    }

private:
    static void change(World* world, bool ours, bool upstream) {
        world->at_boundary([world, ours, upstream] { world->set_job_controllers(ours, upstream); });
    }

    os::Task<void> run(World* world) {
        const auto both = static_cast<std::uint64_t>(settings_.number("both", 0));
        for (bool ours = false; !healed_; ours = !ours) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 1s, 10s, random_));
            if (healed_) break;
            const bool overlap = random_.chance(both, 100);
            if (overlap) REACHED("two Job controllers act at once");
            change(world, overlap, overlap);
            co_await os::sleep_for(world->loop, settings_.span_between("for", 1ms, 3s, random_));
            if (!healed_) change(world, ours, !ours);
        }
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_handover(const Settings& settings, Prng random) {
    return std::make_unique<Handover>(settings, random);
}

}  // namespace muster::sim
