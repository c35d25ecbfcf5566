// At most one of several instances leads. The connection of an instance reports granted claims, and the checker judges
// them by the instance's own clock: it leads and sends writes only until its renew deadline, counted from when it sent
// the last granted claim, and no instance leads while another still does. Clocks may differ in rate by less than the
// lease allows. Writes that an old leader has sent may still arrive; other checkers judge their effects.
#include <map>

#include "sim/checkers/list.h"
#include "sim/world/hosts.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Leases final : public Checker {
public:
    std::string_view name() const override { return "leases"; }

    void on_granted(World& world, int instance, Duration sent_at) override {
        known_[instance].granted_at = sent_at;
        if (may_act(world, instance)) check_alone(world, instance);  // the answer may have come too late
    }
    void on_leads(World& world, int instance, bool leads) override {
        known_[instance].leading = leads;
        if (!leads) return;
        if (!may_act(world, instance)) fail(world, instance, "begins to lead when its lead is over already");
        check_alone(world, instance);
    }
    void on_write(World& world, int instance, const std::string& what) override {
        if (!may_act(world, instance)) fail(world, instance, "does not lead and sends: " + what);
    }
    void at_rest(World& world) override {
        if (world.instances() < 2) return;
        int leaders = 0;
        for (std::size_t i = 0; i < world.instances(); ++i) leaders += may_act(world, static_cast<int>(i)) ? 1 : 0;
        if (leaders != 1) world.fail(name(), "*", std::to_string(leaders) + " instances lead at rest");
    }

private:
    struct Known {
        bool leading = false;
        Duration granted_at{};
    };

    bool may_act(World& world, int instance) {
        const Known& known = known_[instance];
        ControllersHost* host = world.instance(static_cast<std::size_t>(instance));
        const Duration renew = lease_times(world.settings()).renew;
        return known.leading && host && host->loop().uptime() < known.granted_at + renew;
    }
    void check_alone(World& world, int instance) {
        for (const auto& [other, known] : known_)
            if (other != instance && may_act(world, other))
                fail(world, instance, "leads while instance " + std::to_string(other) + " still does");
    }
    void fail(World& world, int instance, const std::string& what) {
        world.fail(name(), "elector@" + std::to_string(instance), what);
    }

    std::map<int, Known> known_;
};

}  // namespace

std::unique_ptr<Checker> make_leases() { return std::make_unique<Leases>(); }

}  // namespace muster::sim
