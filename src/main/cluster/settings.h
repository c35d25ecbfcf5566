// From the options of `muster controllers` to what its parts are told. Errors are kBadRequest with a sentence that
// names the flag.
#pragma once

#include "assembly/cluster/cluster_process.h"
#include "cli/connection/surroundings.h"
#include "cli/controllers/controllers_options.h"

namespace muster {

struct ClusterServer {
    client::ServerAccess access{};
    bool in_cluster = false;  // by the service account of the pod that this is
};

// Which server: --kubeconfig and --context, else the pod's own, else what kubectl would use.
Result<ClusterServer> find_cluster(const cli::ControllersOptions& options, const cli::Surroundings& surroundings);

Result<client::TransportSettings> make_transport_settings(const cli::ControllersOptions& options,
                                                          const cli::Surroundings& surroundings);

// `notes`: what the configuration file says and is not used.
Result<ClusterSettings> make_cluster_settings(const cli::ControllersOptions& options, const ClusterServer& server,
                                              const cli::Surroundings& surroundings, std::vector<std::string>& notes);

}  // namespace muster
