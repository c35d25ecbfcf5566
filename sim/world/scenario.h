// A scenario as its file tells it, one part to a line:
//
//     # what it is about
//     world nodes=1..3 layout=embedded|cluster
//     workload jobs count=1..3 mode=indexed
//     fault crash every=200ms..5s
//     swarm 70                        each fault stays with that chance, in percent
//     without parallelism             a checker that does not apply, and why in a comment
//
// Drawn for a seed it says exactly what is run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world/settings.h"

namespace muster::sim {

struct ScenarioPart {
    std::string name;
    Settings settings;
};

struct Scenario {
    std::string name{};
    std::string about{};
    Settings world{};
    std::vector<ScenarioPart> workloads{};
    std::vector<ScenarioPart> faults{};
    std::set<std::string> without{};
    int swarm_percent = 100;

    Scenario draw(std::uint64_t seed) const;
    std::string format() const;
};

// kBadRequest with the number of the line that cannot be read: a part, a checker or a setting that there is not, too.
Result<Scenario> parse_scenario(std::string_view name, std::string_view text);

}  // namespace muster::sim
