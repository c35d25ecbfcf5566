// Runs a program to its end and gives what it printed: for small helpers, such as plugins that print a token.
#pragma once

#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace muster::os {

struct Command {
    std::vector<std::string> arguments{};    // the program first; looked for in PATH
    std::vector<std::string> environment{};  // NAME=value, beside the caller's
    Duration time_max = 60s;                 // then it is killed
};

// Its standard output. Blocks. kUnavailable when it cannot be started, fails or takes too long, kTooLarge beyond a
// megabyte. Standard error is the caller's; standard input is empty.
Result<std::string> run_command(const Command& command);

}  // namespace muster::os
