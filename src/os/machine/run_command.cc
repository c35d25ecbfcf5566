#include "os/machine/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "os/descriptor.h"
#include "os/errno_error.h"

namespace muster::os {
namespace {

constexpr std::size_t kOutputMax = 1u << 20;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// The caller's variables with those of the command in place of their namesakes.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
    std::vector<std::string> out = more;
    for (char** variable = environ; *variable; ++variable) {
        const std::string_view one = *variable;
        const std::string_view name = one.substr(0, one.find('=') + 1);
        bool replaced = false;
        for (const std::string& other : more) replaced = replaced || other.starts_with(name);
        if (!replaced) out.emplace_back(one);
    }
    return out;
}

Result<pid_t> start(const Command& command, const Descriptor& output) {
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = environment_with(command.environment);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.number(), STDOUT_FILENO);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, arguments.front().c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                     pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return Error{Code::kUnavailable, errno_error(error, "start", arguments.front()).message};
    return pid;
}

Result<std::string> read_all(const Descriptor& from, Duration time_max, const std::string& program) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + time_max;
    std::string out;
    std::array<char, 4096> buffer;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{from.number(), POLLIN, 0};
        if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) == 0)
            return Error{Code::kUnavailable, program + " did not end in time"};
        const ssize_t count = ::read(from.number(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "read from", program);
        if (count == 0) return out;
        out.append(buffer.data(), static_cast<std::size_t>(count));
        if (out.size() > kOutputMax) return Error{Code::kTooLarge, program + " prints too much"};
    }
}

}  // namespace

Result<std::string> run_command(const Command& command) {
    CHECK(!command.arguments.empty());
    const std::string& program = command.arguments.front();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "make", "a pipe");
    const Descriptor ours(ends[0]);
    Descriptor theirs(ends[1]);
    TRY_ASSIGN(const pid_t pid, start(command, theirs));
    theirs.close();
    Result<std::string> output = read_all(ours, command.time_max, program);
    if (!output.ok()) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (!output.ok()) return output;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
    return Error{Code::kUnavailable, program + " failed" +
                                         (WIFEXITED(status) ? " with exit code " + std::to_string(WEXITSTATUS(status))
                                                            : " by signal " + std::to_string(WTERMSIG(status)))};
}

}  // namespace muster::os
