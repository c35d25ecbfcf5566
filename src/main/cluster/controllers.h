// `muster controllers`: the controllers against the API server of a cluster. Reads the options, finds the server, and
// runs a ClusterProcess (assembly/cluster/cluster_process.h) until a signal or its end.
#pragma once

#include "cli/connection/surroundings.h"
#include "cli/controllers/controllers_options.h"
#include "cli/text/terminal.h"

namespace muster {

// Gives the process's exit code: 0 when told to stop, 1 for a lost lease or a failed start-up check, 2 for options that
// say nothing sensible.
int run_controllers(const cli::ControllersOptions& options, cli::Terminal terminal,
                    const cli::Surroundings& surroundings);

}  // namespace muster
