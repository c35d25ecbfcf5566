// How long `muster run -- true` takes on a data directory that is there, from start to exit, against what a process of
// the machine costs at least: /bin/true, and the same binary with nothing to do. All take turns in one run.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/run_program.h"

namespace {

constexpr int kTurns = 41;
constexpr double kGoalMs = 60;

}  // namespace

int main(int, char** argv) {
    const std::filesystem::path here = std::filesystem::absolute(argv[0]).parent_path();
    const std::string muster = (here / "muster").string();
    const std::string data =
        (std::filesystem::temp_directory_path() / ("muster-run-bench-" + std::to_string(::getpid()))).string();
    const std::vector<std::string> run{muster, "run", "--data-dir", data, "--", "true"};
    muster::bench::run_program(run);  // makes the data directory

    std::vector<muster::bench::Contender> contenders{
        {"/bin/true", [] { muster::bench::run_program({"/bin/true"}); }},
        {"muster help",
         [&] {
             muster::bench::run_program({muster, "help"});
         }},
        {"muster run -- true", [&] { muster::bench::run_program(run); }},
    };
    muster::bench::take_turns(contenders, kTurns, 1);
    for (const auto& each : contenders) std::printf("%-20s %8.2f ms\n", each.name.c_str(), each.nanoseconds / 1e6);
    const double taken = contenders.back().nanoseconds / 1e6;
    std::printf("from start to exit, median of %d: %.1f ms, the goal is under %.0f ms: %s\n", kTurns, taken, kGoalMs,
                taken < kGoalMs ? "met" : "missed");
    std::filesystem::remove_all(data);
    return 0;
}
