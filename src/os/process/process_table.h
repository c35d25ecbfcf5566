// Processes that are not our children: found again by their number and the time of their start, or by a mark in the
// environment they were started with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/loop/real_loop.h"
#include "os/process/process.h"

namespace muster::os {

// Asks a process to end, and ends it.
inline constexpr int kTermSignal = 15;
inline constexpr int kKillSignal = 9;

int own_pid();
// Our user, which is also the user of processes that we start.
std::int64_t user_id();

// The time of a process's start in the kernel's ticks since boot, which with its number tells it from every other.
// Nothing when there is none, or when it has ended and only waits to be reaped.
std::optional<std::uint64_t> process_start_ticks(int pid);

// Those that were started with this variable (NAME=value) and let us see it, sorted. Reads the whole process table, and
// waits a moment for those that are between two programs, whose environment cannot be seen just then.
std::vector<int> find_processes(const std::string& variable);
// All that were started with a variable of that name, by its value; one walk for many.
std::map<std::string, std::vector<int>> find_marked_processes(const std::string& name);
// Every process that we can see, sorted.
std::vector<int> all_processes();
// Kills what `find` gives, until it gives none that lives. Gives how many there were. We ourselves are not killed.
std::size_t kill_found_processes(const std::function<std::vector<int>()>& find);
// Kills those, until none is left. Gives how many there were. We ourselves are not among them.
std::size_t kill_processes(const std::string& variable);
std::size_t kill_marked_processes(const std::string& name, const std::set<std::string>& values);

// From here on, what our descendants leave behind becomes ours to reap, instead of the machine's first process's.
void adopt_orphans();
// Those we were left, and those that this thread started. To be called on the first thread, which gets them, and not
// before a fork.
std::vector<int> adopted_processes();
// Those of another's first thread.
std::vector<int> children_of(int pid);
// Reaps the process if it has ended, and says whether it had. Only for our children that no other code waits for.
bool reap_ended(int pid);
void kill_process(int pid);
// The value of a variable that the process was started with. Nothing when it has none, or does not show it.
std::optional<std::string> process_variable(int pid, const std::string& name);

// The mark of the process (ProcessSpec::marked), its own or inherited from its parent. A process without one has our
// mark. Nothing when the process has ended.
std::optional<std::uint64_t> process_mark(int pid);

// This boot of the machine, which numbers of processes belong to.
std::string boot_id();

// A process that is not our child. Every process can see that it has ended; how it ended is known from the process that
// has not reaped it yet (`HowEnded`), or from Linux 6.15 or later.
class ForeignProcess {
public:
    // `end` is empty when it is not known how the process ended. The callback may destroy the ForeignProcess.
    using OnEnd = std::function<void(std::optional<ProcessEnd> end)>;
    // Asks the process's parent, which has not reaped it yet, how it ended.
    using HowEnded = std::function<std::optional<ProcessEnd>(int pid)>;
    // kNotFound when the number belongs to another process by now, or when the process has ended and `how_ended` does
    // not know how. `start_ticks` 0 matches any process that has ended and is not reaped.
    static Result<std::unique_ptr<ForeignProcess>> watch(RealLoop& loop, int pid, std::uint64_t start_ticks,
                                                         OnEnd on_end, HowEnded how_ended = {});
    ForeignProcess(RealLoop& loop, int pid, Descriptor pidfd, OnEnd on_end, HowEnded how_ended);
    ~ForeignProcess();
    ForeignProcess(const ForeignProcess&) = delete;
    ForeignProcess& operator=(const ForeignProcess&) = delete;

    int pid() const { return pid_; }
    // To its group.
    Result<> signal(int number);

private:
    void look(int looks_left);

    RealLoop& loop_;
    const int pid_;
    Descriptor pidfd_;
    OnEnd on_end_;
    HowEnded how_ended_;
    RealLoop::WatchId watch_ = 0;
    TimerId next_look_ = 0;
    bool ended_ = false;
};

}  // namespace muster::os
