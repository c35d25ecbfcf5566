// `muster up`: the store, the server and what belongs to them, put together and run until told to stop.
#pragma once

#include "cli/command_line.h"
#include "cli/up/up_options.h"

namespace muster {

// Gives the exit code: 0 after SIGTERM or SIGINT, 1 when it could not start.
int run_up(const cli::UpOptions& options, cli::Terminal terminal);

}  // namespace muster
