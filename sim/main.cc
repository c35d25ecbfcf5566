// muster-sim: runs seeds of a scenario, one after the other, and says which went wrong and how. The same seed is the
// same run, always.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/reached.h"
#include "sim/judge/judge.h"
#include "sim/world/world.h"

namespace {

using muster::sim::RunResult;
using muster::sim::Scenario;
using muster::sim::Trace;
using muster::sim::World;
using Number = unsigned long long;  // as printf has it

struct Options {
    std::string scenario = "all";
    std::uint64_t seeds = 1000;
    std::uint64_t first = 1;
    std::uint64_t seed = 0;
    bool one = false;
    bool trace = false;
    bool list = false;
    bool fresh = false;
    bool recorded = false;
    bool reached = false;
    int twice_percent = 5;
    int minutes = 0;
    std::string judge{};
    bool one_controller = false;
};

const std::filesystem::path& folder() {
    static const std::filesystem::path path(MUSTER_SIM_DIR);
    return path;
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

Scenario load_scenario(const std::string& name) {
    const bool is_file = name.ends_with(".sim");
    const std::filesystem::path path = is_file ? std::filesystem::path(name) : folder() / "scenarios" / (name + ".sim");
    if (!std::filesystem::exists(path)) {
        std::fprintf(stderr, "there is no scenario \"%s\"; --list shows them\n", name.c_str());
        std::exit(2);
    }
    auto scenario = muster::sim::parse_scenario(name, read_text(path));
    if (!scenario.ok()) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), scenario.error().message.c_str());
        std::exit(2);
    }
    return std::move(*scenario);
}

// That one, or all in the order of their names.
std::vector<Scenario> load_scenarios(const std::string& name) {
    if (name != "all") return {load_scenario(name)};
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "scenarios"))
        names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    std::vector<Scenario> all;
    for (const std::string& each : names) all.push_back(load_scenario(each));
    return all;
}

RunResult run_seed(const Scenario& scenario, std::uint64_t seed, Trace::Want want) {
    World world(seed, scenario.draw(seed), want);
    return world.run();
}

void print_options(const Scenario& scenario, std::uint64_t seed) {
    std::printf("scenario %s seed %llu\n%s", scenario.name.c_str(), static_cast<Number>(seed),
                scenario.draw(seed).format().c_str());
    std::fflush(stdout);
}

int tell_failure(const Scenario& scenario, std::uint64_t seed) {
    print_options(scenario, seed);
    const RunResult again = run_seed(scenario, seed, Trace::Want::kKeep);
    for (const std::string& line : again.story) std::printf("  %s\n", line.c_str());
    if (!again.failure) {
        std::printf("FAILED scenario %s seed %llu: it goes well when it is run again: not deterministic\n",
                    scenario.name.c_str(), static_cast<Number>(seed));
        return 1;
    }
    std::printf("FAILED scenario %s seed %llu: %s: %s: %s\n", scenario.name.c_str(), static_cast<Number>(seed),
                again.failure->checker.c_str(), again.failure->subject.c_str(), again.failure->reason.c_str());
    std::printf("replay: muster-sim --scenario %s --seed %llu --trace\n", scenario.name.c_str(),
                static_cast<Number>(seed));
    return 1;
}

int tell_difference(const Scenario& scenario, std::uint64_t seed, const RunResult& one, const RunResult& other) {
    std::printf("FAILED scenario %s seed %llu: two runs differ: %016llx and %016llx\n", scenario.name.c_str(),
                static_cast<Number>(seed), static_cast<Number>(one.hash), static_cast<Number>(other.hash));
    return 1;
}

int run_one(const Scenario& scenario, const Options& options) {
    print_options(scenario, options.seed);
    const RunResult result =
        run_seed(scenario, options.seed, options.trace ? Trace::Want::kPrint : Trace::Want::kNothing);
    if (result.failure) return tell_failure(scenario, options.seed);
    std::printf("ok: hash %016llx, %llu steps, %llu revisions, %d crashes, %.1f s of virtual time\n",
                static_cast<Number>(result.hash), static_cast<Number>(result.steps),
                static_cast<Number>(result.revisions), result.crashes,
                std::chrono::duration<double>(result.virtual_time).count());
    return 0;
}

// All seeds of one scenario, or as many as there is time for.
int run_many(const Scenario& scenario, const Options& options, std::chrono::duration<double> time) {
    const auto began = std::chrono::steady_clock::now();
    std::chrono::duration<double> virtual_time{};
    std::chrono::duration<double> real{};
    std::uint64_t crashes = 0;
    std::uint64_t ran = 0;
    for (; ran < options.seeds && (time.count() == 0 || real < time); ++ran) {
        const std::uint64_t seed = options.first + ran;
        const Trace::Want want = options.trace ? Trace::Want::kPrint : Trace::Want::kNothing;
        const RunResult result = run_seed(scenario, seed, want);
        if (result.failure) return tell_failure(scenario, seed);
        virtual_time += result.virtual_time;
        crashes += static_cast<std::uint64_t>(result.crashes);
        if (seed % 100 < static_cast<std::uint64_t>(options.twice_percent)) {
            const RunResult again = run_seed(scenario, seed, want);
            if (again.hash != result.hash) return tell_difference(scenario, seed, result, again);
        }
        real = std::chrono::steady_clock::now() - began;
    }
    std::printf("%-12s %7llu seeds ok: %5.0f seeds a minute, virtual time %6.0f x real, %llu crashes\n",
                scenario.name.c_str(), static_cast<Number>(ran), 60 * static_cast<double>(ran) / real.count(),
                virtual_time / real, static_cast<Number>(crashes));
    std::fflush(stdout);
    return 0;
}

// seeds.txt: a scenario and a seed to a line, then its story.
int run_recorded() {
    std::istringstream lines(read_text(folder() / "seeds.txt"));
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t seed = 0;
        if (line.starts_with('#') || !(words >> name >> seed)) continue;
        const Scenario scenario = load_scenario(name);
        const RunResult result = run_seed(scenario, seed, Trace::Want::kNothing);
        if (result.failure) return tell_failure(scenario, seed);
        const RunResult again = run_seed(scenario, seed, Trace::Want::kNothing);
        if (again.hash != result.hash) return tell_difference(scenario, seed, result, again);
        ++count;
    }
    std::printf("%d recorded seeds ok\n", count);
    return 0;
}

// Which of the rare branches the seeds above came by, and which they never did.
void print_reached() {
    int never = 0;
    for (const muster::ReachProbe* probe : muster::reach_probes()) {
        if (probe->hit.load()) continue;
        ++never;
        std::printf("never reached: %s (%s)\n", probe->what, std::filesystem::path(probe->file).filename().c_str());
    }
    std::printf("%d of %d probes were never reached\n", never, static_cast<int>(muster::reach_probes().size()));
}

int run_all(const Options& options) {
    const std::vector<Scenario> scenarios = load_scenarios(options.scenario);
    std::printf("seeds %llu to %llu\n", static_cast<Number>(options.first),
                static_cast<Number>(options.first + options.seeds - 1));
    std::fflush(stdout);
    const std::chrono::duration<double> time(60.0 * options.minutes / static_cast<double>(scenarios.size()));
    for (const Scenario& scenario : scenarios)
        if (const int code = run_many(scenario, options, time); code != 0) return code;
    return 0;
}

// 0: all that happened was right; 1: not; 2: the file is no history.
int judge_file(const Options& options) {
    std::ifstream lines(options.judge);
    if (!lines) {
        std::fprintf(stderr, "muster-sim: %s cannot be read\n", options.judge.c_str());
        return 2;
    }
    const auto verdict = muster::sim::judge_history(lines, options.one_controller);
    if (!verdict.ok()) {
        std::fprintf(stderr, "muster-sim: %s: %s\n", options.judge.c_str(), verdict.error().message.c_str());
        return 2;
    }
    std::printf("%zu changes of Jobs and pods, %zu Jobs finished: %s\n", verdict->changes, verdict->finished,
                verdict->failure.empty() ? "ok" : ("FAILED: " + verdict->failure).c_str());
    return verdict->failure.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Runs the control plane in virtual time, with everything going wrong.", "muster-sim");
    app.add_option("--scenario", options.scenario, "One of sim/scenarios/*.sim, the path of another .sim file, or all")
        ->capture_default_str();
    app.add_option("--seeds", options.seeds, "How many seeds of each to run")->capture_default_str();
    app.add_option("--minutes", options.minutes, "Stop after so many minutes, divided among the scenarios");
    app.add_option("--first", options.first, "The first seed")->capture_default_str();
    app.add_flag("--fresh", options.fresh, "Begin at a random seed");
    auto* seed = app.add_option("--seed", options.seed, "Run this one only");
    app.add_flag("--trace", options.trace, "Print what happens");
    app.add_flag("--list", options.list, "Print the scenarios");
    app.add_flag("--recorded", options.recorded, "Run the seeds of sim/seeds.txt, each twice");
    app.add_flag("--reached", options.reached, "Print which rare branches were never reached");
    app.add_option("--twice", options.twice_percent, "How many percent of the seeds to run twice and compare")
        ->capture_default_str();
    auto* judge = app.add_option("--judge", options.judge, "Judge a history that was recorded on a real cluster");
    app.add_flag("--one-controller", options.one_controller,
                 "In that history one Job controller acted: no pod is created twice")
        ->needs(judge);
    CLI11_PARSE(app, argc, argv);
    options.one = seed->count() > 0;
    if (options.fresh) options.first = std::random_device()() / 2 + 1'000'000'000u;
    int code = 0;
    if (!options.judge.empty()) {
        code = judge_file(options);
    } else if (options.list) {
        for (const Scenario& scenario : load_scenarios("all"))
            std::printf("%-12s %s\n", scenario.name.c_str(), scenario.about.c_str());
    } else if (options.one) {
        code = run_one(load_scenario(options.scenario), options);
    } else if (options.recorded) {
        code = run_recorded();
    } else {
        code = run_all(options);
    }
    if (options.reached) print_reached();
    return code;
}
