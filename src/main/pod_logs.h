// The logs of pods for `muster run`: of a data directory's node from its files, whether the node runs in this process
// or in another. The user needs access to the directory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/connection/connection.h"
#include "cli/run/pod_output.h"

namespace muster {

cli::PodLogs pod_logs_of(const std::string& data_directory);

// The same from a server, which mixes what went to standard output and to standard error: all of it is told as standard
// output. `connect` gives a connection of its own each time.
using Connect = std::function<Result<std::unique_ptr<cli::Connection>>()>;
cli::PodLogs served_pod_logs(Connect connect);

}  // namespace muster
