// A whole connection is cut off for a while: a controller, a machine's agent or a user. Nothing that it sends arrives,
// and nothing is heard.
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Partition final : public Fault {
public:
    Partition(const Settings& settings, Prng random) : settings_(settings), random_(random) {}

    void start(World& world) override { world.user_tasks().spawn(run(&world)); }
    void heal(World&) override { healed_ = true; }

private:
    os::Task<void> run(World* world) {
        while (!healed_) {
            co_await os::sleep_for(world->loop, settings_.span_between("every", 500ms, 10s, random_));
            const auto& lines = world->network.lines();
            if (healed_ || lines.empty()) continue;
            auto chosen = lines.begin();
            std::advance(chosen, random_.below(lines.size()));
            const std::shared_ptr<Line> line = chosen->second;
            line->cut_off = true;
            world->note("*", line->name + " is cut off");
            co_await os::sleep_for(world->loop, settings_.span_between("for", 100ms, 20s, random_));
            line->cut_off = false;
            world->note("*", line->name + " is there again");
        }
    }

    const Settings settings_;
    Prng random_;
    bool healed_ = false;
};

}  // namespace

std::unique_ptr<Fault> make_partition(const Settings& settings, Prng random) {
    return std::make_unique<Partition>(settings, random);
}

}  // namespace muster::sim
