#include "os/process/linux_processes.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/errno_error.h"
#include "os/process/clone_child.h"
#include "os/process/process_label.h"

namespace muster::os {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

constexpr std::size_t kStackSize = 64u << 10;
constexpr int kFailedCode = 127;
constexpr mode_t kUsualMask = 022;
constexpr int kStandardCount = 3;
constexpr unsigned kAll = ~0u;
constexpr unsigned long kPidfdUtsNamespace = _IO(0xFF, 10);  // PIDFD_GET_UTS_NAMESPACE

// The signals that did not do what they do by default when the first process was started; itself this process only
// ignores SIGPIPE (os/process/pipe_end.cc). Looked at once: there are more signals than a start has other system calls.
const std::vector<int>& unusual_signals() {
    static const std::vector<int> numbers = [] {
        std::vector<int> found{SIGPIPE};
        for (int number = 1; number < NSIG; ++number) {
            struct sigaction action;
            if (number != SIGPIPE && ::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL)
                found.push_back(number);
        }
        return found;
    }();
    return numbers;
}

// What a thread needs for starting processes. A child's descriptors are put under numbers that are low, because they
// are the thread's for ever: everything above them is cut off without being looked at, so that a start costs the same
// however many descriptors are open.
class LaunchPad {
public:
    static LaunchPad& of_this_thread() {
        thread_local LaunchPad pad;
        return pad;
    }
    std::byte* stack_top() { return stack_.get() + kStackSize; }
    int nothing() const { return nothing_.number(); }
    unsigned end() const { return end_; }
    bool ready() const { return nothing_ && slots_[0] && slots_[1] && slots_[2]; }
    // Gives the number under which the child finds it, or -1.
    int lend(int ours, int slot) { return ours < 0 ? nothing() : ::dup3(ours, slots_[slot].number(), O_CLOEXEC); }
    // Nothing of a child's stays open with us: its reader waits for the last to close it.
    void take_back(int ours, int slot) {
        if (ours >= 0) ::dup3(nothing(), slots_[slot].number(), O_CLOEXEC);
    }

private:
    LaunchPad() : stack_(std::make_unique_for_overwrite<std::byte[]>(kStackSize)), nothing_(open_nothing()) {
        for (Descriptor& slot : slots_) slot = open_nothing();
        int highest = nothing();
        for (const Descriptor& slot : slots_) highest = std::max(highest, slot.number());
        end_ = static_cast<unsigned>(std::max(highest + 1, kStandardCount));
    }
    static Descriptor open_nothing() { return Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

    std::unique_ptr<std::byte[]> stack_;  // a child's, while we stand still
    Descriptor nothing_;
    Descriptor slots_[kStandardCount];
    unsigned end_ = 0;
};

// What the child does, and what it says of it: it shares our memory, and we stand still until its program runs or it
// has ended. It must not allocate, and returns to its first function before it leaves for its program.
class Launch {
public:
    enum class Stage { kNamespaces, kSetup, kDescriptors, kDirectory, kProgram };

    explicit Launch(const ProcessSpec& spec)
        : spec_(spec),
          arguments_(pointers_to(spec.arguments)),
          environment_(pointers_to(spec.environment)),
          signals_(unusual_signals()) {}

    // Gives the child, or the errno with which not even that began.
    Result<pid_t> run(LaunchPad& pad, int& pidfd) {
        pad_ = &pad;
        pidfd_ = &pidfd;
        const int ours[kStandardCount] = {spec_.input, spec_.output, spec_.error};
        for (int i = 0; i < kStandardCount; ++i)
            if ((given_[i] = pad.lend(ours[i], i)) < 0)
                return errno_error(errno, "pass a descriptor to", spec_.program);
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        // A handler of ours that ran in the child would run on our memory.
        ::pthread_sigmask(SIG_BLOCK, &all, &before);
        const int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | (shares_descriptors() ? CLONE_FILES : 0);
        const pid_t pid = clone_child(&Launch::enter, pad.stack_top(), flags, this, &pidfd);
        const int error_of_clone = errno;
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        for (int i = 0; i < kStandardCount; ++i) pad.take_back(ours[i], i);
        if (pid < 0) return errno_error(error_of_clone, "start", spec_.program);
        return pid;
    }
    bool failed() const { return error_ != 0; }
    std::uint64_t mark() const { return mark_; }
    Error failure() const {
        switch (stage_) {
            case Stage::kNamespaces: return errno_error(error_, "enter the namespaces of", spec_.program);
            case Stage::kSetup: return setup_error(spec_.setup[step_], error_);
            case Stage::kDescriptors: return errno_error(error_, "prepare the descriptors of", spec_.program);
            case Stage::kDirectory: return errno_error(error_, "change to directory", spec_.directory);
            case Stage::kProgram: break;
        }
        return errno_error(error_, "start", spec_.program);
    }

private:
    static int enter(void* self) {
        auto& launch = *static_cast<Launch*>(self);
        if (launch.prepare()) {
            if (launch.spec_.number_at) launch.spec_.number_at->store(::getpid());
            ::execve(launch.spec_.program.c_str(), launch.arguments_.data(), launch.environment_.data());
            int error = errno;
            for (const std::string& other : launch.spec_.alternatives) {
                if (error != ENOENT && error != ENOTDIR && error != EACCES) break;
                ::execve(other.c_str(), launch.arguments_.data(), launch.environment_.data());
                // That a file is there and may not be run says more than that others are not there.
                if (error != EACCES || errno != ENOENT) error = errno;
            }
            if (launch.spec_.number_at) launch.spec_.number_at->store(0);
            launch.error_ = error;
        }
        ::_exit(kFailedCode);
    }

    bool prepare() {
        ::setsid();
        if (spec_.label != 0) carry_label(spec_.label);
        forget_signals();
        for (const int each : spec_.namespaces)
            if (::setns(each, 0) != 0) return fail(Stage::kNamespaces, errno);
        begin_mark();
        // Its own from here on, without those above the ones it is given.
        if (shares_descriptors() && ::close_range(pad_->end(), kAll, CLOSE_RANGE_UNSHARE) != 0)
            return fail(Stage::kDescriptors, errno);
        // Files that the steps make are for the user that the process will have.
        if (!spec_.setup.empty()) ::umask(kUsualMask);
        for (step_ = 0; step_ < spec_.setup.size(); ++step_) {
            if (has_been_done(spec_.setup[step_])) continue;
            if (const int error = carry_out(spec_.setup[step_])) return fail(Stage::kSetup, error);
        }
        finish_mark();
        if (const int error = give_descriptors()) return fail(Stage::kDescriptors, error);
        // After a change of user, which would undo it.
        if (spec_.ends_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (!spec_.directory.empty() && ::chdir(spec_.directory.c_str()) != 0) return fail(Stage::kDirectory, errno);
        stage_ = Stage::kProgram;
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        return true;
    }
    // The mark is the number of a UTS namespace: the cheapest namespace, inherited by all descendants. Only root in it
    // can leave it. Its number is read through the process's own pidfd while the descriptors are shared: looking it up
    // in /proc costs a tenth of a start.
    void begin_mark() {
        is_marked_ = spec_.marked && ::unshare(CLONE_NEWUTS) == 0;
        if (!is_marked_ || !shares_descriptors()) return;
        const int held = ::ioctl(*pidfd_, kPidfdUtsNamespace, 0);
        if (held < 0) return;  // before Linux 6.11
        read_mark_of(held);
        ::close(held);
    }
    bool has_been_done(const SetupStep& step) const {
        return is_marked_ && step.kind == SetupStep::Kind::kUnshare && step.flags == kUtsNamespace;
    }
    // What was not allowed before may be in a user namespace that the setup has made.
    void finish_mark() {
        if (!spec_.marked || mark_ != 0) return;
        const auto is_own = [](const SetupStep& step) {
            return step.kind == SetupStep::Kind::kUnshare && (step.flags & kUtsNamespace) != 0;
        };
        if (!is_marked_ && std::none_of(spec_.setup.begin(), spec_.setup.end(), is_own) && ::unshare(CLONE_NEWUTS) != 0)
            return;
        struct stat figures;
        if (::stat("/proc/self/ns/uts", &figures) == 0) mark_ = figures.st_ino;
    }
    void read_mark_of(int held) {
        struct stat figures;
        if (::fstat(held, &figures) == 0) mark_ = figures.st_ino;
    }

    bool fail(Stage stage, int error) {
        stage_ = stage;
        error_ = error;
        return false;
    }
    // What is ignored stays ignored in a program, and a handler must not run once signals are let through.
    void forget_signals() const {
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        for (const int number : signals_) ::sigaction(number, &action, nullptr);
    }
    // A path in a setup may lead through a descriptor of ours, so they are all copied for it.
    bool shares_descriptors() const {
        return std::all_of(spec_.setup.begin(), spec_.setup.end(), [](const SetupStep& step) {
            return step.path.empty() && (step.kind == SetupStep::Kind::kHostName || step.source.empty());
        });
    }
    int give_descriptors() {
        for (int& each : given_) {
            // Moved out of the way: one of the three may be overwritten before it is used.
            if (each < kStandardCount) each = ::fcntl(each, F_DUPFD_CLOEXEC, kStandardCount);
            if (each < 0) return errno;
        }
        for (int number = 0; number < kStandardCount; ++number)
            if (::dup2(given_[number], number) < 0) return errno;
        if (spec_.terminal && ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) return errno;
        return ::close_range(kStandardCount, kAll, 0) != 0 ? errno : 0;
    }

    const ProcessSpec& spec_;
    std::vector<char*> arguments_;
    std::vector<char*> environment_;
    const std::vector<int>& signals_;
    LaunchPad* pad_ = nullptr;
    const int* pidfd_ = nullptr;  // written by the kernel before the child runs
    int given_[kStandardCount] = {};
    Stage stage_ = Stage::kSetup;
    std::size_t step_ = 0;
    int error_ = 0;
    bool is_marked_ = false;
    std::uint64_t mark_ = 0;
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
    bool has_ended() const {
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
    }
    // The leader has ended and is not reaped, so its number is still its own and names its group.
    void learn_end(Reaping reaping) {
        ::kill(-pid_, SIGKILL);
        siginfo_t info{};
        const int how = WEXITED | (reaping == Reaping::kLater ? WNOWAIT : 0);
        CHECK(::waitid(P_PID, static_cast<id_t>(pid_), &info, how) == 0, std::strerror(errno));
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

LinuxProcesses::LinuxProcesses(RealLoop& loop, Reaping reaping) : loop_(loop), reaping_(reaping) {}

LinuxProcesses::~LinuxProcesses() {
    for (const auto& [pid, child] : running_) loop_.unwatch(child->watch, child->pidfd().number());
}

Result<std::shared_ptr<Process>> LinuxProcesses::start(const ProcessSpec& spec) {
    TRY_ASSIGN(Launched launched, launch(spec));
    return adopt(std::move(launched));
}

Result<LinuxProcesses::Launched> LinuxProcesses::launch(const ProcessSpec& spec) {
    LaunchPad& pad = LaunchPad::of_this_thread();
    if (!pad.ready()) return Error{Code::kIo, "cannot open /dev/null for a process"};
    Launch launch(spec);
    int pidfd_number = -1;
    TRY_ASSIGN(const pid_t pid, launch.run(pad, pidfd_number));
    Descriptor pidfd(pidfd_number);
    if (launch.failed()) {
        ::waitpid(pid, nullptr, 0);
        return launch.failure();
    }
    return Launched{pid, std::move(pidfd), launch.mark()};
}

std::shared_ptr<Process> LinuxProcesses::adopt(Launched launched) {
    const int pid = launched.pid;
    auto child = std::make_shared<Child>(loop_, pid, std::move(launched.pidfd));
    // Many a process is over before anybody has had time to look at it.
    if (child->has_ended()) {
        child->learn_end(reaping_);
        return child;
    }
    child->watch = loop_.watch(child->pidfd().number(), [this, pid](RealLoop::Readiness ready) {
        if (ready.readable) on_end(pid);
    });
    running_.emplace(pid, child);
    return child;
}

void LinuxProcesses::on_end(int pid) {
    const auto found = running_.find(pid);
    CHECK(found != running_.end());
    const std::shared_ptr<Child> child = std::move(found->second);
    running_.erase(found);
    loop_.unwatch(child->watch, child->pidfd().number());
    child->learn_end(reaping_);
}

}  // namespace muster::os
