#include "os/linux_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "os/errno_error.h"

namespace muster::os {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// What posix_spawn does in the child before the program runs.
class Preparation {
public:
    Preparation() {
        CHECK(::posix_spawn_file_actions_init(&actions_) == 0);
        CHECK(::posix_spawnattr_init(&attributes_) == 0);
    }
    ~Preparation() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    // Gives 0 or an errno.
    int prepare(const ProcessSpec& spec) {
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        const std::array given{spec.input, spec.output, spec.error};
        for (int number = 0; number < 3; ++number)
            if (const int error = give(given[number], number)) return error;
        if (const int error = ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3)) return error;
        if (spec.directory.empty()) return 0;
        return ::posix_spawn_file_actions_addchdir_np(&actions_, spec.directory.c_str());
    }

    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    int give(int ours, int theirs) {
        if (ours < 0) return ::posix_spawn_file_actions_addopen(&actions_, theirs, "/dev/null", O_RDWR, 0);
        if (ours <= 2) {
            // Moved out of the way: one of the three may be overwritten before it is used.
            Descriptor& copy = moved_[theirs];
            copy = Descriptor(::fcntl(ours, F_DUPFD_CLOEXEC, 3));
            if (!copy) return errno;
            ours = copy.number();
        }
        return ::posix_spawn_file_actions_adddup2(&actions_, ours, theirs);
    }

    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
    std::array<Descriptor, 3> moved_;
};

}  // namespace

class LinuxProcesses::Child final : public Process {
public:
    Child(Loop& loop, int pid, Descriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)), ended_(loop) {}

    int pid() const override { return pid_; }
    const std::optional<ProcessEnd>& end() const override { return end_; }
    Task<ProcessEnd> wait() override {
        while (!end_) co_await ended_.wait();
        co_return *end_;
    }
    Result<> signal(int number) override {
        const std::string what = "process " + std::to_string(pid_);
        if (end_) return errno_error(ESRCH, "signal", what);
        if (::kill(-pid_, number) != 0) return errno_error(errno, "signal", what);
        return {};
    }

    const Descriptor& pidfd() const { return pidfd_; }
    // The leader has ended and is not reaped, so its number is still its own and names its group.
    void reap() {
        ::kill(-pid_, SIGKILL);
        siginfo_t info{};
        CHECK(::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) == 0, std::strerror(errno));
        end_ = info.si_code == CLD_EXITED ? ProcessEnd{.code = info.si_status} : ProcessEnd{.signal = info.si_status};
        ended_.notify();
    }

    RealLoop::WatchId watch = 0;

private:
    const int pid_;
    Descriptor pidfd_;
    Event ended_;
    std::optional<ProcessEnd> end_;
};

LinuxProcesses::~LinuxProcesses() {
    for (const auto& [pid, child] : running_) loop_.unwatch(child->watch, child->pidfd().number());
}

Result<std::shared_ptr<Process>> LinuxProcesses::start(const ProcessSpec& spec) {
    Preparation preparation;
    if (const int error = preparation.prepare(spec)) return errno_error(error, "prepare", spec.program);
    std::vector<char*> arguments = pointers_to(spec.arguments);
    std::vector<char*> environment = pointers_to(spec.environment);
    pid_t pid = 0;
    if (const int error = ::posix_spawn(&pid, spec.program.c_str(), preparation.actions(), preparation.attributes(),
                                        arguments.data(), environment.data()))
        return errno_error(error, "start", spec.program);

    // The number is ours until we reap it, so it cannot have become another's.
    Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) {
        const int error = errno;
        ::kill(-pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return errno_error(error, "watch", spec.program);
    }
    auto child = std::make_shared<Child>(loop_, pid, std::move(pidfd));
    child->watch = loop_.watch(child->pidfd().number(), [this, pid](RealLoop::Readiness ready) {
        if (ready.readable) on_end(pid);
    });
    running_.emplace(pid, child);
    return std::shared_ptr<Process>(std::move(child));
}

void LinuxProcesses::on_end(int pid) {
    const auto found = running_.find(pid);
    CHECK(found != running_.end());
    const std::shared_ptr<Child> child = std::move(found->second);
    running_.erase(found);
    loop_.unwatch(child->watch, child->pidfd().number());
    child->reap();
}

}  // namespace muster::os
