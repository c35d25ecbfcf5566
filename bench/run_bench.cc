// How long `muster run -- true` takes on a data directory that is there, from start to exit, against what a process of
// the machine costs at least: /bin/true, and the same binary with nothing to do. All take turns in one run.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/measure.h"

namespace {

constexpr int kTurns = 41;
constexpr double kGoalMs = 60;

// Runs it to its end; its output is not looked at, its exit code must be 0.
void run_to_end(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    pid_t pid = 0;
    CHECK(::posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, words[0] + " failed");
}

}  // namespace

int main(int, char** argv) {
    const std::filesystem::path here = std::filesystem::absolute(argv[0]).parent_path();
    const std::string muster = (here / "muster").string();
    const std::string data =
        (std::filesystem::temp_directory_path() / ("muster-run-bench-" + std::to_string(::getpid()))).string();
    const std::vector<std::string> run{muster, "run", "--data-dir", data, "--", "true"};
    run_to_end(run);  // makes the data directory

    std::vector<muster::bench::Contender> contenders{
        {"/bin/true", [] { run_to_end({"/bin/true"}); }},
        {"muster help",
         [&] {
             run_to_end({muster, "help"});
         }},
        {"muster run -- true", [&] { run_to_end(run); }},
    };
    muster::bench::take_turns(contenders, kTurns, 1);
    for (const auto& each : contenders) std::printf("%-20s %8.2f ms\n", each.name.c_str(), each.nanoseconds / 1e6);
    const double taken = contenders.back().nanoseconds / 1e6;
    std::printf("from start to exit, median of %d: %.1f ms, the goal is under %.0f ms: %s\n", kTurns, taken, kGoalMs,
                taken < kGoalMs ? "met" : "missed");
    std::filesystem::remove_all(data);
    return 0;
}
