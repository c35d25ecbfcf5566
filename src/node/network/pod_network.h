// What a program inside a pod finds of the API and of its peers: the variables of services, a hosts file with the names
// of headless services' pods, and a kubeconfig when no token is mounted.
#pragma once

#include <string>

#include "client/client.h"
#include "client/mirror.h"
#include "node/environment/env.h"
#include "node/network/api_point.h"
#include "node/network/kubeconfig_files.h"
#include "node/network/name_files.h"
#include "node/network/remembered.h"

namespace muster::node {

struct NetworkOffer {
    NetworkOffer() = default;
    std::shared_ptr<const Environment> services{};  // the variables of services
    std::string kubeconfig{};                       // a file's path; empty: none
    HostsFile hosts{};  // appears at /etc/hosts; a plain one where that costs little, else the machine's own stays
};

class PodNetwork {
public:
    using PodRef = client::Ref<api::core::Pod>;

    // All must outlive it; destroying it stops it. `is_ours` says which pods run on this node. Before the mirror
    // starts.
    PodNetwork(os::Loop& loop, client::Client& client, client::Mirror<api::core::Pod>& pods,
               std::function<bool(const api::core::Pod&)> is_ours, const std::string& directory, ApiPoint api);

    void start();
    // For a container that is about to start. kUnavailable when it must be tried again.
    os::Task<Result<NetworkOffer>> offer(PodRef pod, Text pod_ip);

private:
    os::Task<void> begin();
    const std::shared_ptr<const Environment>& variables_for(const api::core::Pod& pod);

    client::Mirror<api::core::Pod>& pods_;
    client::Mirror<api::core::Service> services_;
    NameFiles names_;
    KubeconfigFiles kubeconfigs_;
    // By namespace and whether there are links.
    Remembered<std::pair<Text, bool>, std::shared_ptr<const Environment>> variables_;
    bool ready_ = false;
    os::Event became_ready_;
    os::TaskScope tasks_;
};

}  // namespace muster::node
