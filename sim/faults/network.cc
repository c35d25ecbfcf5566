// Packets are late, lost on either way, or arrive twice; callers give up on what arrives all the same; watches are cut,
// held back, or have missed something. The odds are in a thousand.
#include "sim/faults/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class NetworkFault final : public Fault {
public:
    explicit NetworkFault(const Settings& settings) : settings_(settings) {}

    void start(World& world) override {
        NetworkOdds& odds = world.network.odds;
        const auto set = [this](const char* key, int& into) {
            into = std::max(into, static_cast<int>(settings_.number(key, 0)));
        };
        set("lose_request", odds.lose_request);
        set("lose_answer", odds.lose_answer);
        set("duplicate", odds.duplicate);
        set("ghost", odds.ghost);
        set("delay", odds.delay);
        set("cut_watch", odds.cut_watch);
        set("expire_watch", odds.expire_watch);
        set("hold_watch", odds.hold_watch);
        odds.delay_max = settings_.span("delay_max", 2s);
    }
    // The world sets all odds to nothing.
    void heal(World&) override {}

private:
    const Settings settings_;
};

}  // namespace

std::unique_ptr<Fault> make_network(const Settings& settings, Prng) { return std::make_unique<NetworkFault>(settings); }

}  // namespace muster::sim
