#include "os/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "os/errno_error.h"

namespace muster::os {

static_assert(kTermSignal == SIGTERM && kKillSignal == SIGKILL);

namespace {

constexpr int kLooksMax = 1000;
constexpr Duration kLookAgain = 2ms;

// As in the kernel's pidfd.h of 6.15, which Debian 12 does not have.
struct PidfdInfo {
    std::uint64_t mask = 0;
    std::uint64_t cgroup = 0;
    std::uint32_t identities[11] = {};
    std::int32_t exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kPidfdInfoExit = 1u << 3;
constexpr unsigned long kPidfdGetInfo = _IOWR(0xFF, 11, PidfdInfo);

// Files of /proc say no size beforehand.
std::optional<std::string> read_proc(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return {};
    std::string text;
    char buffer[16384];
    for (;;) {
        const ssize_t count = ::read(file.number(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return {};
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

std::vector<int> all_processes() {
    std::vector<int> pids;
    DIR* proc = ::opendir("/proc");
    if (!proc) return pids;
    while (const dirent* entry = ::readdir(proc)) {
        const std::string_view name = entry->d_name;
        int pid = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc() && end == name.data() + name.size()) pids.push_back(pid);
    }
    ::closedir(proc);
    std::sort(pids.begin(), pids.end());
    return pids;
}

}  // namespace

std::int64_t user_id() { return static_cast<std::int64_t>(::geteuid()); }

std::optional<std::uint64_t> process_start_ticks(int pid) {
    const auto stat = read_proc("/proc/" + std::to_string(pid) + "/stat");
    // The name of the program stands in parentheses and may hold anything; the state follows it, and the start is the
    // 20th field from there.
    const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
    if (name_end == std::string::npos || name_end + 2 >= stat->size()) return {};
    std::string_view rest = std::string_view(*stat).substr(name_end + 2);
    if (rest.front() == 'Z' || rest.front() == 'X') return {};
    for (int field = 0; field < 19; ++field) {
        const std::size_t space = rest.find(' ');
        if (space == std::string_view::npos) return {};
        rest.remove_prefix(space + 1);
    }
    std::uint64_t ticks = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), ticks).ec != std::errc()) return {};
    return ticks;
}

std::vector<int> find_processes(const std::string& variable) {
    std::vector<int> found;
    const std::string between = '\0' + variable + '\0';
    for (const int pid : all_processes()) {
        const auto environment = read_proc("/proc/" + std::to_string(pid) + "/environ");
        if (environment && ('\0' + *environment).find(between) != std::string::npos) found.push_back(pid);
    }
    return found;
}

std::size_t kill_processes(const std::string& variable) {
    std::size_t killed = 0;
    // One that is found may have made another in the meantime.
    for (int round = 0; round < 16; ++round) {
        std::vector<int> found = find_processes(variable);
        std::erase_if(found, [](int pid) { return !process_start_ticks(pid); });
        if (found.empty()) break;
        killed = std::max(killed, found.size());
        for (const int pid : found) ::kill(pid, SIGKILL);
    }
    return killed;
}

std::string boot_id() {
    std::string id = read_proc("/proc/sys/kernel/random/boot_id").value_or("");
    while (!id.empty() && id.back() == '\n') id.pop_back();
    return id;
}

Result<std::unique_ptr<ForeignProcess>> ForeignProcess::watch(RealLoop& loop, int pid, std::uint64_t start_ticks,
                                                              OnEnd on_end) {
    Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) return errno_error(errno, "watch", "process " + std::to_string(pid));
    // Looked at after it is held: from here on the number cannot become another's unnoticed.
    if (process_start_ticks(pid) != start_ticks)
        return Error{Code::kNotFound, "process " + std::to_string(pid) + " is gone"};
    return std::make_unique<ForeignProcess>(loop, pid, std::move(pidfd), std::move(on_end));
}

ForeignProcess::ForeignProcess(RealLoop& loop, int pid, Descriptor pidfd, OnEnd on_end)
    : loop_(loop), pid_(pid), pidfd_(std::move(pidfd)), on_end_(std::move(on_end)) {
    watch_ = loop_.watch(pidfd_.number(), [this](RealLoop::Readiness ready) {
        if (!ready.readable || ended_) return;
        ended_ = true;
        look(kLooksMax);
    });
}

ForeignProcess::~ForeignProcess() {
    if (next_look_ != 0) loop_.cancel(next_look_);
    loop_.unwatch(watch_, pidfd_.number());
}

// How it ended is known once its parent has reaped it, which is somebody else's affair.
void ForeignProcess::look(int looks_left) {
    next_look_ = 0;
    PidfdInfo info;
    info.mask = kPidfdInfoExit;
    const bool answered = ::ioctl(pidfd_.number(), kPidfdGetInfo, &info) == 0;
    std::optional<ProcessEnd> end;
    if (answered && (info.mask & kPidfdInfoExit) != 0) {
        end.emplace();
        if (WIFSIGNALED(info.exit_code))
            end->signal = WTERMSIG(info.exit_code);
        else
            end->code = WEXITSTATUS(info.exit_code);
    } else if (answered && looks_left > 0) {
        next_look_ = loop_.after(kLookAgain, [this, looks_left] { look(looks_left - 1); });
        return;
    }
    // A copy: it may destroy us.
    const OnEnd on_end = on_end_;
    on_end(end);
}

Result<> ForeignProcess::signal(int number) {
    const std::string what = "process " + std::to_string(pid_);
    // Asks whether it is still the one, then reaches the whole group.
    if (::syscall(SYS_pidfd_send_signal, pidfd_.number(), 0, nullptr, 0) != 0)
        return errno_error(errno, "signal", what);
    if (::kill(-pid_, number) != 0) return errno_error(errno, "signal", what);
    return {};
}

}  // namespace muster::os
