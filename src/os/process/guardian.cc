#include "os/process/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/check.h"
#include "os/process/process_table.h"

extern "C" {
// jemalloc's, when it is linked.
int mallctl(const char* name, void* old, std::size_t* old_size, void* fresh, std::size_t fresh_size)
    __attribute__((weak));
}

namespace muster::os {
namespace {

constexpr int kFailed = 1;
constexpr long kMilli = 1'000'000;
constexpr long kPauseMaxMs = 1000;
// A child that lived this long did not fail at its start: it was killed from outside.
constexpr long kLivedMs = 100;
constexpr int kAnswerSeconds = 5;

struct Question {
    int pid = 0;
    int reaps = 0;
};
struct Answer {
    int pid = 0;
    int ended = 0;
    int code = 0;
    int signal = 0;
};

// A thread of the allocator's own would be the guardian's only other one.
void tend_free_memory(bool on) {
    if (mallctl) mallctl("background_thread", nullptr, nullptr, &on, sizeof on);
}

long uptime_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / kMilli;
}

void pause_for(long milliseconds) {
    const timespec span{milliseconds / 1000, milliseconds % 1000 * kMilli};
    ::nanosleep(&span, nullptr);
}

Answer look_at(const Question& question) {
    Answer answer{question.pid, 0, 0, 0};
    siginfo_t info{};
    const int how = WEXITED | WNOHANG | (question.reaps != 0 ? 0 : WNOWAIT);
    if (question.pid <= 0 || ::waitid(P_PID, static_cast<id_t>(question.pid), &info, how) != 0 || info.si_pid == 0)
        return answer;
    answer.ended = 1;
    (info.si_code == CLD_EXITED ? answer.code : answer.signal) = info.si_status;
    return answer;
}

// Answers until the child has ended; gives its wait status.
int attend(pid_t child, int socket) {
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    pollfd both[2] = {{pidfd, POLLIN, 0}, {pidfd < 0 ? -1 : socket, POLLIN, 0}};
    while (pidfd >= 0) {
        if (::poll(both, 2, -1) < 0) continue;
        if (both[0].revents != 0) break;
        Question question;
        const ssize_t size = ::recv(socket, &question, sizeof question, MSG_DONTWAIT);
        if (size == sizeof question) {
            const Answer answer = look_at(question);
            ::send(socket, &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
        } else if (size >= 0 || errno != EAGAIN) {
            both[1].fd = -1;
        }
    }
    if (pidfd >= 0) ::close(pidfd);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

bool holds_any() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

Guardian Guardian::divide(std::size_t shared_bytes) {
    void* memory = ::mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED, "no memory to share");
    const std::span<std::byte> shared(static_cast<std::byte*>(memory), shared_bytes);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    tend_free_memory(false);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before);
    const int guardian = ::getpid();
    for (long pause_ms = 0;;) {
        int ends[2] = {-1, -1};
        const long begun_ms = uptime_ms();
        const bool linked = ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
        const pid_t child = linked ? ::fork() : -1;
        if (child == 0) {
            ::close(ends[0]);
            // A signal to the guardian's process group must not reach us.
            ::setsid();
            ::sigprocmask(SIG_SETMASK, &before, nullptr);
            tend_free_memory(true);
            const timeval limit{kAnswerSeconds, 0};
            ::setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
            return {guardian, Descriptor(ends[1]), shared};
        }
        if (linked) ::close(ends[1]);
        const int status = child > 0 ? attend(child, ends[0]) : kFailed << 8;
        if (linked) ::close(ends[0]);
        const bool failed = WIFEXITED(status) && WEXITSTATUS(status) != 0;
        if (WIFEXITED(status) && (!failed || !holds_any())) ::_exit(WEXITSTATUS(status));
        pause_ms = !failed && uptime_ms() - begun_ms >= kLivedMs ? 0 : std::min(2 * pause_ms + 1, kPauseMaxMs);
        // The first short life may be a kill from outside: no pause yet.
        if (pause_ms > 1) pause_for(pause_ms);
    }
}

std::optional<ProcessEnd> Guardian::ask(int pid, bool reaps) {
    const Question question{pid, reaps ? 1 : 0};
    if (::send(socket_.number(), &question, sizeof question, MSG_NOSIGNAL) != sizeof question) return {};
    for (;;) {
        Answer answer;
        const ssize_t size = ::recv(socket_.number(), &answer, sizeof answer, 0);
        if (size < 0 && errno == EINTR) continue;
        if (size != sizeof answer) return {};
        if (answer.pid != pid) continue;  // to a question whose answer was not waited for
        if (answer.ended == 0) return {};
        return ProcessEnd{.code = answer.code, .signal = answer.signal};
    }
}

std::optional<ProcessEnd> Guardian::end_of(int pid) { return ask(pid, false); }

void Guardian::reap(int pid) { (void)ask(pid, true); }

std::vector<int> Guardian::children() {
    if (!has_children_) return {};
    std::vector<int> pids = children_of(pid_);
    std::erase(pids, ::getpid());
    has_children_ = !pids.empty();
    return pids;
}

}  // namespace muster::os
