// Nodes are never overcommitted: what the pods bound to one ask for fits into it, and there are no more of them than it
// takes. Where the answer to a binding can be lost, or a binding arrive after its sender's death, the scheduler may
// give the same room twice, so there it is not judged.
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

std::int64_t milli_cpus(const Pod& pod) {
    std::int64_t sum = 0;
    for (const auto& container : pod.spec.containers)
        if (const api::Quantity* cpu = container.resources.requests.find("cpu")) sum += cpu->milli_value();
    return sum;
}

class Room final : public Checker {
public:
    std::string_view name() const override { return "room"; }

    void on_change(World& world, const Change& change) override {
        if (!change.is<Pod>() || !change.now) return;
        const Pod& pod = *change.now_as<Pod>();
        const Pod* before = change.before_as<Pod>();
        if (pod.spec.node_name.empty() || (before && !before->spec.node_name.empty())) return;
        if (world.requests_may_be_late()) return;
        std::int64_t cpus = 0;
        std::int64_t count = 0;
        for (const Pod* other : world.history.all<Pod>()) {
            if (!(other->spec.node_name == pod.spec.node_name) || has_ended(*other)) continue;
            cpus += milli_cpus(*other);
            ++count;
        }
        if (cpus > 1000 * world.settings().number("cpus", 4) || count > world.settings().number("pods_max", 20))
            world.fail(name(), pod.metadata.name,
                       "is bound to " + pod.spec.node_name.str() + ", which then has " + std::to_string(count) +
                           " pods that ask for " + std::to_string(cpus) + "m");
    }
};

}  // namespace

std::unique_ptr<Checker> make_room() { return std::make_unique<Room>(); }

}  // namespace muster::sim
