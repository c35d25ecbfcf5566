// The logs of the node of a data directory, read from its files: whoever may use the directory may read them, whether
// the node runs in this process or in another.
#pragma once

#include <string>

#include "cli/run/pod_output.h"

namespace muster {

cli::PodLogs pod_logs_of(const std::string& data_directory);

}  // namespace muster
