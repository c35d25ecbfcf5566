// Commands inside a running container: exec probes, hooks, `kubectl exec`. A command gets the environment, working
// directory, user, cgroups and namespaces of the container's process. All are read from the process itself, so no state
// of the container's start is needed. The command carries the run's mark and ends with the run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process/process.h"

namespace muster::node {

struct InsideCommand {
    int pid = 0;                         // the container's process
    std::vector<std::string> command{};  // the program, looked up in the container's PATH, and its arguments
    std::string directory{};             // empty: where the container's process is
    // They stay the caller's. -1: /dev/null.
    int input = -1;
    int output = -1;
    int error = -1;
    // `input` is a terminal, and becomes the one that controls the command's session.
    bool terminal = false;
    std::vector<std::string> extra_environment{};  // NAME=value, instead of the container's: TERM
};

// Called with the label of the container's processes (os/process/process_label.h) before a command that carries it is
// started: what the command leaves behind is no descendant of the keeper's.
using OnEnter = std::function<void(std::uint64_t label)>;

// Starts it. kNotFound when the container's process has ended, or when the program is not there; the message then reads
// as a kubelet's.
Result<std::shared_ptr<os::Process>> start_inside(os::Processes& processes, const InsideCommand& command,
                                                  const OnEnter& on_enter);

}  // namespace muster::node
