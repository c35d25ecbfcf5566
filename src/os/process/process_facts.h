// What can be read of a running process, so that another can be started as it was: with its environment, identity,
// namespaces and cgroups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process/process_setup.h"

namespace muster::os {

struct ProcessFacts {
    std::vector<std::string> environment{};  // NAME=value
    std::string directory{};                 // where it is now
    std::uint64_t label = 0;                 // 0: none (os/process/process_label.h)
    // What makes a process that we start like it, in the order in which it must be done. Empty when it lives as we do.
    SetupSteps setup{};
};
// kNotFound when it has ended.
Result<ProcessFacts> read_process_facts(int pid);

}  // namespace muster::os
