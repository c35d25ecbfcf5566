// Connections that clients forward to ports of pods: `kubectl port-forward`. Each client has one connection to us, in
// which its own connections travel together (rest/forward_wire.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/http/http.h"
#include "os/loop/loop.h"
#include "os/machine/byte_budget.h"
#include "os/network/network.h"
#include "server/rest/streams/remote_command.h"
#include "server/rest/streams/session_set.h"

namespace muster::server {

struct PortForwardLimits {
    std::size_t sessions_max = 1000;    // clients; one more is answered with a 429
    std::size_t connections_max = 256;  // of one client at a time; more end at once
    std::size_t unsent_bytes_max = 256u << 10;
    Duration grace_time = 10s;  // for a pod to take what a client that has gone sent last
};

struct ForwardRequest {
    std::string pod_address{};           // numeric
    std::vector<std::uint16_t> ports{};  // that channels of a WebSocket are for
};

class PortForwards {
public:
    explicit PortForwards(os::Loop& loop, PortForwardLimits limits = {},
                          std::shared_ptr<os::ByteBudget> budget = std::make_shared<os::ByteBudget>());
    ~PortForwards();

    // 429 as an error when there are too many.
    Result<> check_room() const;
    // Answers the exchange for good; connections go to the pod in that network, which must outlive this.
    void start(os::Network& network, ForwardRequest request, Upgrade upgrade,
               std::unique_ptr<os::HttpExchange> exchange);
    std::size_t count() const { return sessions_.size(); }

private:
    class Session;

    os::Loop& loop_;
    const PortForwardLimits limits_;
    const std::shared_ptr<os::ByteBudget> budget_;
    SessionSet<Session> sessions_;
};

}  // namespace muster::server
