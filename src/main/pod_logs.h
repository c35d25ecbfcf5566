// Reads the logs of a data directory's node from its files, whether the node runs in this process or in another. The
// user needs access to the directory.
#pragma once

#include <string>

#include "cli/run/pod_output.h"

namespace muster {

cli::PodLogs pod_logs_of(const std::string& data_directory);

}  // namespace muster
