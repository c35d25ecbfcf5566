#include "sim/world/scenario.h"

#include <charconv>

#include "sim/world/parts.h"

namespace muster::sim {
namespace {

constexpr std::string_view kWorldSettings[] = {
    "connections",    "cpus",         "create_max",  "cron",          "drift_permille",  "events",
    "fair",           "history",      "instances",   "latency",       "layout",          "lease_s",
    "namespaces",     "nodes",        "pace",        "pace_bytes",    "pace_ends",       "pods_max",
    "queues",         "ready_blocks", "ready_limit", "ready_timeout", "resource_quotas", "safety",
    "shared_mirrors", "skew_ms",      "sync",        "uncounted_max"};

Error bad_line(std::string message) { return {Code::kBadRequest, std::move(message)}; }

Result<ScenarioPart> read_part(bool is_fault, std::string_view name, std::string_view line) {
    ScenarioPart part;
    part.name = name;
    TRY_ASSIGN(part.settings, Settings::parse(line));
    const auto keys = is_fault ? settings_of_fault(name) : settings_of_workload(name);
    if (!keys)
        return bad_line(std::string("there is no ") + (is_fault ? "fault" : "workload") + " \"" + part.name + '"');
    TRY(part.settings.declare(*keys));
    return part;
}

bool is_checker(std::string_view name) {
    if (name == "settles") return true;
    for (const auto& checker : make_checkers())
        if (checker->name() == name) return true;
    return false;
}

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
        return scenario.world.declare(kWorldSettings);
    }
    const std::string_view word = take_word(line);
    if (what == "workload" || what == "fault") {
        TRY_ASSIGN(ScenarioPart part, read_part(what == "fault", word, line));
        (what == "fault" ? scenario.faults : scenario.workloads).push_back(std::move(part));
    } else if (what == "without") {
        if (!is_checker(word)) return bad_line("there is no checker \"" + std::string(word) + '"');
        scenario.without.emplace(word);
    } else if (what == "swarm") {
        const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), scenario.swarm_percent);
        if (code != std::errc() || end != word.data() + word.size()) return bad_line("swarm is a number of percent");
    } else {
        return bad_line("cannot read \"" + std::string(whole) + '"');
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
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        const std::size_t hash = line.find('#');
        if (hash == 0 && scenario.about.empty()) scenario.about = line.substr(std::min<std::size_t>(2, line.size()));
        const Result<> read = read_line(scenario, line.substr(0, hash));
        if (!read.ok()) return bad_line("line " + std::to_string(number) + ": " + read.error().message);
    }
    return scenario;
}

}  // namespace muster::sim
