// The logs of pods for `muster run`: of the node in this process, or of a server.
#pragma once

#include <string>

#include "cli/run/pod_output.h"
#include "client/remote/remote_client.h"

namespace muster {

// The logs of a control plane in this process; `data_directory` is its own. `pods` must outlive them.
cli::PodLogs pod_logs_of(client::PodAccess& pods, const std::string& data_directory);

// The logs of the server that has this data directory. The client must outlive them.
cli::PodLogs served_pod_logs(client::RemoteClient& client, const std::string& data_directory);
// Those of any other server, which may not keep standard output and standard error apart: all is standard output.
cli::PodLogs served_pod_logs(client::RemoteClient& client);

}  // namespace muster
