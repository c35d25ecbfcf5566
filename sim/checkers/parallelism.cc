// No more pods of a Job are active than its parallelism ever allowed, and no two of one index. Where requests can be
// repeated or arrive after their sender's death, and where two Job controllers act at once, a pod too many cannot be
// helped; there this holds only at rest, by the other checkers.
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Parallelism final : public Checker {
public:
    std::string_view name() const override { return "parallelism"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<Job>() && change.now) {
            std::int32_t& most = most_[change.now_as<Job>()->metadata.uid];
            most = std::max(most, change.now_as<Job>()->spec.parallelism.value_or(1));
        }
        if (change.is<Pod>() && change.now && !change.before && !world.creations_may_repeat())
            check(world, *change.now_as<Pod>());
    }

private:
    void check(World& world, const Pod& made) {
        const Text owner = job_uid_of(made);
        const auto most = most_.find(owner);
        if (owner.empty() || most == most_.end()) return;
        std::int32_t active = 0;
        std::int32_t same_index = 0;
        for (const Pod* pod : world.history.all<Pod>()) {
            if (!(job_uid_of(*pod) == owner) || has_ended(*pod) || is_deleting(*pod)) continue;
            ++active;
            if (index_of(*pod) == index_of(made)) ++same_index;
        }
        if (active > most->second)
            world.fail(name(), made.metadata.name,
                       "is pod " + std::to_string(active) + " at parallelism " + std::to_string(most->second));
        if (index_of(made) >= 0 && same_index > 1) world.fail(name(), made.metadata.name, "is the second of its index");
    }

    std::map<Text, std::int32_t> most_;  // by the Job's UID
};

}  // namespace

std::unique_ptr<Checker> make_parallelism() { return std::make_unique<Parallelism>(); }

}  // namespace muster::sim
