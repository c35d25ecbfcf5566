#include "os/process/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <thread>

#include "os/errno_error.h"
#include "os/process/proc_file.h"

namespace muster::os {

static_assert(kTermSignal == SIGTERM && kKillSignal == SIGKILL);

namespace {

constexpr int kLooksMax = 1000;
constexpr int kKillRoundsMax = 16;
constexpr int kUnsettledLooksMax = 100;
constexpr Duration kUnsettledWait = 1ms;
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

std::string proc_path(int pid, const char* file) { return "/proc/" + std::to_string(pid) + '/' + file; }

// From the text of variables, each with a zero after it.
std::optional<std::string> find_variable(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const std::size_t end = std::min(environment.find('\0'), environment.size());
        const std::string_view variable = environment.substr(0, end);
        if (variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=')
            return std::string(variable.substr(name.size() + 1));
        environment.remove_prefix(std::min(end + 1, environment.size()));
    }
    return {};
}

// It has memory of its own, and neither arguments nor environment are in it yet. Threads of the kernel and what has
// ended have no memory.
bool is_between_programs(int pid) {
    const auto memory = read_proc(proc_path(pid, "statm"));
    if (!memory || memory->starts_with("0 ")) return false;
    const auto arguments = read_proc(proc_path(pid, "cmdline"));
    return arguments && arguments->empty();
}

}  // namespace

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

int own_pid() { return ::getpid(); }

std::int64_t user_id() { return static_cast<std::int64_t>(::geteuid()); }

namespace {

std::optional<std::uint64_t> read_start_ticks(int pid, bool ended_too) {
    const auto stat = read_proc("/proc/" + std::to_string(pid) + "/stat");
    // The name of the program stands in parentheses and may hold anything; the state follows it, and the start is the
    // 20th field from there.
    const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
    if (name_end == std::string::npos || name_end + 2 >= stat->size()) return {};
    std::string_view rest = std::string_view(*stat).substr(name_end + 2);
    if (!ended_too && (rest.front() == 'Z' || rest.front() == 'X')) return {};
    for (int field = 0; field < 19; ++field) {
        const std::size_t space = rest.find(' ');
        if (space == std::string_view::npos) return {};
        rest.remove_prefix(space + 1);
    }
    std::uint64_t ticks = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), ticks).ec != std::errc()) return {};
    return ticks;
}

}  // namespace

std::optional<std::uint64_t> process_start_ticks(int pid) { return read_start_ticks(pid, false); }

std::vector<int> find_processes(const std::string& variable) {
    const std::size_t equals = variable.find('=');
    auto all = find_marked_processes(variable.substr(0, equals));
    return std::move(all[variable.substr(equals + 1)]);
}

std::map<std::string, std::vector<int>> find_marked_processes(const std::string& name) {
    std::map<std::string, std::vector<int>> found;
    std::vector<int> left = all_processes();
    for (int look = 0; look < kUnsettledLooksMax && !left.empty(); ++look) {
        if (look > 0) std::this_thread::sleep_for(kUnsettledWait);
        std::vector<int> unsettled;
        for (const int pid : left) {
            auto environment = read_proc(proc_path(pid, "environ"));
            if (environment && environment->empty()) {
                if (is_between_programs(pid)) {
                    unsettled.push_back(pid);
                    continue;
                }
                // It may have got its environment between the two looks.
                environment = read_proc(proc_path(pid, "environ"));
            }
            if (!environment) continue;
            if (auto value = find_variable(*environment, name)) found[*std::move(value)].push_back(pid);
        }
        left = std::move(unsettled);
    }
    for (auto& [value, pids] : found) std::sort(pids.begin(), pids.end());
    return found;
}

std::size_t kill_processes(const std::string& variable) {
    const std::size_t equals = variable.find('=');
    return kill_marked_processes(variable.substr(0, equals), {variable.substr(equals + 1)});
}

std::size_t kill_found_processes(const std::function<std::vector<int>()>& find) {
    std::size_t killed = 0;
    // One that is found may have made another in the meantime.
    for (int round = 0; round < kKillRoundsMax; ++round) {
        std::size_t found = 0;
        for (const int pid : find()) {
            if (pid == ::getpid() || !process_start_ticks(pid)) continue;
            ++found;
            ::kill(pid, SIGKILL);
        }
        if (found == 0) break;
        killed = std::max(killed, found);
    }
    return killed;
}

std::size_t kill_marked_processes(const std::string& name, const std::set<std::string>& values) {
    return kill_found_processes([&] {
        std::vector<int> all;
        for (const auto& [value, pids] : find_marked_processes(name))
            if (values.contains(value)) all.insert(all.end(), pids.begin(), pids.end());
        return all;
    });
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

namespace {

std::string children_path(int parent) {
    const std::string number = std::to_string(parent);
    return "/proc/" + number + "/task/" + number + "/children";
}

std::vector<int> parse_numbers(std::string_view text) {
    std::vector<int> pids;
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
        int pid = 0;
        const auto [stop, error] = std::from_chars(at, end, pid);
        if (error == std::errc()) pids.push_back(pid);
        at = stop + 1;
    }
    return pids;
}

}  // namespace

std::vector<int> adopted_processes() {
    // Held open: this is asked for after every end, and the way to the file costs more than reading it.
    static const Descriptor ours(::open(children_path(::getpid()).c_str(), O_RDONLY | O_CLOEXEC));
    return ours ? parse_numbers(read_proc(ours).value_or("")) : std::vector<int>();
}

std::vector<int> children_of(int parent) { return parse_numbers(read_proc(children_path(parent)).value_or("")); }

bool reap_ended(int pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; }

void kill_process(int pid) { ::kill(pid, SIGKILL); }

std::optional<std::string> process_variable(int pid, const std::string& name) {
    const auto environment = read_proc(proc_path(pid, "environ"));
    return environment ? find_variable(*environment, name) : std::nullopt;
}

std::optional<std::uint64_t> process_mark(int pid) {
    struct stat figures;
    if (::stat(proc_path(pid, "ns/uts").c_str(), &figures) != 0) return {};
    return figures.st_ino;
}

std::string boot_id() {
    std::string id = read_proc("/proc/sys/kernel/random/boot_id").value_or("");
    while (!id.empty() && id.back() == '\n') id.pop_back();
    return id;
}

Result<std::unique_ptr<ForeignProcess>> ForeignProcess::watch(RealLoop& loop, int pid, std::uint64_t start_ticks,
                                                              OnEnd on_end, HowEnded how_ended) {
    Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) return errno_error(errno, "watch", "process " + std::to_string(pid));
    // Looked at after it is held: from here on the number cannot become another's unnoticed.
    const bool runs = process_start_ticks(pid) == start_ticks;
    const bool held = !runs && (start_ticks == 0 || read_start_ticks(pid, true) == start_ticks) && how_ended &&
                      how_ended(pid).has_value();
    if (!runs && !held) return Error{Code::kNotFound, "process " + std::to_string(pid) + " is gone"};
    return std::make_unique<ForeignProcess>(loop, pid, std::move(pidfd), std::move(on_end), std::move(how_ended));
}

ForeignProcess::ForeignProcess(RealLoop& loop, int pid, Descriptor pidfd, OnEnd on_end, HowEnded how_ended)
    : loop_(loop), pid_(pid), pidfd_(std::move(pidfd)), on_end_(std::move(on_end)), how_ended_(std::move(how_ended)) {
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

// When `how_ended_` does not know, the kernel tells how the process ended once its parent has reaped it. We cannot
// influence when that happens, so this looks several times.
void ForeignProcess::look(int looks_left) {
    next_look_ = 0;
    PidfdInfo info;
    info.mask = kPidfdInfoExit;
    std::optional<ProcessEnd> end = how_ended_ ? how_ended_(pid_) : std::nullopt;
    const bool answered = !end && ::ioctl(pidfd_.number(), kPidfdGetInfo, &info) == 0;
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
