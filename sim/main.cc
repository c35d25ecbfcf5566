// muster-sim: runs seeds of a scenario, one after the other, and says which went wrong and how. The same seed is the
// same run, always.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/world/world.h"

namespace {

using muster::sim::RunResult;
using muster::sim::Scenario;
using muster::sim::Trace;
using muster::sim::World;

struct Options {
    std::string scenario = "crash";
    std::uint64_t seeds = 1000;
    std::uint64_t first = 1;
    std::uint64_t seed = 0;
    bool one = false;
    bool trace = false;
    bool list = false;
    int twice_percent = 5;
};

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

Scenario load_scenario(const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(MUSTER_SIM_DIR) / "scenarios" / (name + ".sim");
    if (!std::filesystem::exists(path)) {
        std::fprintf(stderr, "there is no scenario \"%s\"; --list shows them\n", name.c_str());
        std::exit(2);
    }
    auto scenario = muster::sim::parse_scenario(name, read_text(path));
    if (!scenario.ok()) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), muster::format_error(scenario.error()).c_str());
        std::exit(2);
    }
    return std::move(*scenario);
}

void list_scenarios() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MUSTER_SIM_DIR) / "scenarios"))
        found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    for (const auto& path : found)
        std::printf("%-14s %s\n", path.stem().c_str(), load_scenario(path.stem()).about.c_str());
}

RunResult run_seed(const Scenario& scenario, std::uint64_t seed, Trace::Want want) {
    World world(seed, scenario.draw(seed), want);
    return world.run();
}

void print_options(const Scenario& scenario, std::uint64_t seed) {
    std::printf("scenario %s seed %llu\n%s", scenario.name.c_str(), static_cast<unsigned long long>(seed),
                scenario.draw(seed).format().c_str());
    std::fflush(stdout);
}

int tell_failure(const Scenario& scenario, std::uint64_t seed) {
    print_options(scenario, seed);
    const RunResult again = run_seed(scenario, seed, Trace::Want::kKeep);
    for (const std::string& line : again.story) std::printf("  %s\n", line.c_str());
    if (!again.failure) {
        std::printf("FAILED seed %llu: it goes well when it is run again: not deterministic\n",
                    static_cast<unsigned long long>(seed));
        return 1;
    }
    std::printf("FAILED scenario %s seed %llu: %s: %s: %s\n", scenario.name.c_str(),
                static_cast<unsigned long long>(seed), again.failure->checker.c_str(), again.failure->subject.c_str(),
                again.failure->reason.c_str());
    std::printf("replay: muster-sim --scenario %s --seed %llu --trace\n", scenario.name.c_str(),
                static_cast<unsigned long long>(seed));
    return 1;
}

int run_one(const Scenario& scenario, const Options& options) {
    print_options(scenario, options.seed);
    const RunResult result =
        run_seed(scenario, options.seed, options.trace ? Trace::Want::kPrint : Trace::Want::kNothing);
    if (result.failure) return tell_failure(scenario, options.seed);
    std::printf("ok: hash %016llx, %llu steps, %llu revisions, %d crashes, %.1f s of virtual time\n",
                static_cast<unsigned long long>(result.hash), static_cast<unsigned long long>(result.steps),
                static_cast<unsigned long long>(result.revisions), result.crashes,
                std::chrono::duration<double>(result.virtual_time).count());
    return 0;
}

int run_many(const Scenario& scenario, const Options& options) {
    const auto began = std::chrono::steady_clock::now();
    std::chrono::duration<double> virtual_time{};
    std::uint64_t crashes = 0;
    for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
        const Trace::Want want = options.trace ? Trace::Want::kPrint : Trace::Want::kNothing;
        const RunResult result = run_seed(scenario, seed, want);
        if (result.failure) return tell_failure(scenario, seed);
        virtual_time += result.virtual_time;
        crashes += static_cast<std::uint64_t>(result.crashes);
        if (seed % 100 >= static_cast<std::uint64_t>(options.twice_percent)) continue;
        const RunResult again = run_seed(scenario, seed, want);
        if (again.hash != result.hash) {
            std::printf("FAILED scenario %s seed %llu: two runs differ: %016llx and %016llx\n", scenario.name.c_str(),
                        static_cast<unsigned long long>(seed), static_cast<unsigned long long>(result.hash),
                        static_cast<unsigned long long>(again.hash));
            return 1;
        }
    }
    const std::chrono::duration<double> real = std::chrono::steady_clock::now() - began;
    std::printf("%-14s %llu seeds from %llu ok: %.0f seeds a minute, virtual time %.0f x real, %llu crashes\n",
                scenario.name.c_str(), static_cast<unsigned long long>(options.seeds),
                static_cast<unsigned long long>(options.first), 60 * static_cast<double>(options.seeds) / real.count(),
                virtual_time / real, static_cast<unsigned long long>(crashes));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Runs the control plane in virtual time, with everything going wrong.", "muster-sim");
    app.add_option("--scenario", options.scenario, "Which of sim/scenarios/*.sim")->capture_default_str();
    app.add_option("--seeds", options.seeds, "How many seeds to run")->capture_default_str();
    app.add_option("--first", options.first, "The first of them")->capture_default_str();
    auto* seed = app.add_option("--seed", options.seed, "Run this one only");
    app.add_flag("--trace", options.trace, "Print what happens");
    app.add_flag("--list", options.list, "Print the scenarios");
    app.add_option("--twice", options.twice_percent, "How many percent of the seeds to run twice and compare")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    options.one = seed->count() > 0;
    if (options.list) {
        list_scenarios();
        return 0;
    }
    const Scenario scenario = load_scenario(options.scenario);
    if (options.one) return run_one(scenario, options);
    std::printf("scenario %s, seeds %llu to %llu\n", scenario.name.c_str(),
                static_cast<unsigned long long>(options.first),
                static_cast<unsigned long long>(options.first + options.seeds - 1));
    std::fflush(stdout);
    return run_many(scenario, options);
}
