// `muster run`: work to its end, on the control plane that has the data directory, or on one of its own.
#pragma once

#include "cli/command_line.h"
#include "cli/connection/surroundings.h"
#include "cli/run/options.h"

namespace muster {

// Gives the exit code: 0 when everything is complete, 1 when a Job failed, 2 for bad input, 130 when interrupted.
int run_run(const cli::RunOptions& options, cli::Terminal terminal, const cli::Surroundings& surroundings);

}  // namespace muster
