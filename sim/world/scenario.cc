#include "sim/world/scenario.h"

namespace muster::sim {
namespace {

std::string_view take_word(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return line = {};
    line.remove_prefix(begin);
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    return word;
}

Result<> read_line(Scenario& scenario, std::string_view line) {
    const std::string_view whole = line;
    const std::string_view what = take_word(line);
    if (what.empty()) return {};
    if (what == "world") {
        TRY_ASSIGN(scenario.world, Settings::parse(line));
    } else if (what == "workload" || what == "fault") {
        ScenarioPart part;
        part.name = take_word(line);
        TRY_ASSIGN(part.settings, Settings::parse(line));
        (what == "fault" ? scenario.faults : scenario.workloads).push_back(std::move(part));
    } else if (what == "without") {
        scenario.without.emplace(take_word(line));
    } else if (what == "swarm") {
        scenario.swarm_percent = std::stoi(std::string(take_word(line)));
    } else {
        return Error{Code::kBadRequest, "cannot read \"" + std::string(whole) + '"'};
    }
    return {};
}

}  // namespace

Scenario Scenario::draw(std::uint64_t seed) const {
    Prng random(seed * 2 + 1);
    Scenario drawn = *this;
    drawn.world = world.draw(random);
    for (ScenarioPart& part : drawn.workloads) part.settings = part.settings.draw(random);
    drawn.faults.clear();
    for (const ScenarioPart& part : faults) {
        ScenarioPart copy{part.name, part.settings.draw(random)};
        if (random.chance(static_cast<std::uint64_t>(swarm_percent), 100)) drawn.faults.push_back(std::move(copy));
    }
    return drawn;
}

std::string Scenario::format() const {
    std::string out = "world " + world.format() + '\n';
    for (const ScenarioPart& part : workloads) out += "workload " + part.name + ' ' + part.settings.format() + '\n';
    for (const ScenarioPart& part : faults) out += "fault " + part.name + ' ' + part.settings.format() + '\n';
    for (const std::string& checker : without) out += "without " + checker + '\n';
    return out;
}

Result<Scenario> parse_scenario(std::string_view name, std::string_view text) {
    Scenario scenario;
    scenario.name = name;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        const std::size_t hash = line.find('#');
        if (hash == 0 && scenario.about.empty()) scenario.about = line.substr(std::min<std::size_t>(2, line.size()));
        TRY(read_line(scenario, line.substr(0, hash)));
    }
    return scenario;
}

}  // namespace muster::sim
