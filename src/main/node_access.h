// Joins what the server asks of a node to the interface of the node's runtime.
#pragma once

#include "node/runtime/pod_access.h"
#include "server/rest/node_access.h"

namespace muster {

class NodeAccess final : public server::NodeAccess {
public:
    // Must outlive it, and all that it gives.
    explicit NodeAccess(node::PodAccess& pods) : pods_(pods) {}

    Result<std::unique_ptr<server::LogSource>> open_log(const api::core::Pod& pod,
                                                        const api::core::PodLogOptions& options) override;
    Result<> check_session(const api::core::Pod& pod, const server::SessionRequest& request) override;
    Result<std::unique_ptr<os::Session>> open_session(const api::core::Pod& pod,
                                                      const server::SessionRequest& request) override;
    os::Network& network() override { return pods_.network(); }

private:
    node::PodAccess& pods_;
};

}  // namespace muster
