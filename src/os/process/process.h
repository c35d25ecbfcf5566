// Starting and ending processes. A process is the leader of a session and group of its own; signals go to the group,
// and when the leader ends, what it left behind in the group is killed, as in a container.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/loop/task.h"
#include "os/process/process_setup.h"

namespace muster::os {

struct ProcessSpec {
    std::string program;                   // a path; it is not searched for
    std::vector<std::string> arguments;    // [0] included
    std::vector<std::string> environment;  // NAME=value; nothing is inherited
    std::string directory;                 // empty: ours
    // The descriptors that become its input, output and error; they stay the caller's. -1: /dev/null. It gets no
    // others.
    int input = -1;
    int output = -1;
    int error = -1;
    bool terminal = false;      // the input is a terminal, and becomes that of the process's session
    bool ends_with_us = false;  // it is killed when the thread that starts it ends, however that ends
    // Descriptors of namespaces of ours that it enters before all else, a user namespace before those it owns.
    std::vector<int> namespaces{};
    // It gets a mark that it and all that it starts keep, whatever they do to their environment (Launched::mark), where
    // the kernel gives one.
    bool marked = false;
    // What it and all that it starts carry from here on (os/process/process_label.h). 0: what we carry.
    std::uint64_t label = 0;
    // What it does first, in this order; descriptors of ours are still open to it then. Afterwards it changes to its
    // directory and runs the program.
    SetupSteps setup{};
    // Programs to try, one after the other, while the one before is not there: a search that only the process itself
    // can make when its setup changes what it sees.
    std::vector<std::string> alternatives{};
    // Where it leaves its number just before its program runs, and 0 again when the program cannot be run: memory that
    // is shared with others tells them what became of a start whose starter was killed.
    std::atomic<int>* number_at = nullptr;
};

// Either an exit code, or the signal that ended it.
struct ProcessEnd {
    int code = 0;
    int signal = 0;
    bool operator==(const ProcessEnd&) const = default;
};

class Process {
public:
    virtual ~Process() = default;

    virtual int pid() const = 0;
    virtual const std::optional<ProcessEnd>& end() const = 0;
    // Any number may wait.
    virtual Task<ProcessEnd> wait() = 0;
    // Signals the whole group. kNotFound when it has ended: its number may be another's by now.
    virtual Result<> signal(int number) = 0;
};

class Processes {
public:
    virtual ~Processes() = default;

    // Gives the process once its program runs; kNotFound or kIo when it cannot, with what failed: a step of its setup,
    // its directory or its program. Dropping it leaves the process alone.
    virtual Result<std::shared_ptr<Process>> start(const ProcessSpec& spec) = 0;
};

}  // namespace muster::os
