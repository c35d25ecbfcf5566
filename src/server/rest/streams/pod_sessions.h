// The commands and containers that clients are talking to, each over a connection of its own (rest/remote_wire.h).
// Messages arrive on the thread that carries the connection and are read on the loop; what a command does not take is
// not read from the connection, and what a client does not take is not read from the command. A client that goes away
// has its input delivered first: the command gets what was received, then the end of input, and time to end by itself.
// A command without input is killed at once.
#pragma once

#include <memory>

#include "client/pods/pod_access.h"
#include "os/http/http.h"
#include "os/loop/loop.h"
#include "os/machine/byte_budget.h"
#include "server/rest/streams/remote_command.h"
#include "server/rest/streams/session_set.h"

namespace muster::server {

struct PodSessionLimits {
    std::size_t sessions_max = 1000;           // one more is answered with a 429
    std::size_t message_bytes_max = 1u << 20;  // of a client's message; more closes the connection
    std::size_t unsent_bytes_max = 256u << 10;
    // kubectl up to 1.33 drops what comes in the first moments over a WebSocket, before it has made its streams.
    Duration settling_time = 30ms;
    Duration opening_time = 30s;  // for a client of SPDY to open its streams
    Duration grace_time = 30s;    // for a command to end after its client has gone; then it is killed
};

class PodSessions {
public:
    explicit PodSessions(os::Loop& loop, PodSessionLimits limits = {},
                         std::shared_ptr<os::ByteBudget> budget = std::make_shared<os::ByteBudget>());
    ~PodSessions();

    // 429 as an error when there are too many.
    Result<> check_room() const;
    // Answers the exchange for good. A session that could not be opened is told of over the connection.
    void start(Result<std::unique_ptr<os::Session>> pod, const client::SessionRequest& request, Upgrade upgrade,
               std::unique_ptr<os::HttpExchange> exchange);
    std::size_t count() const { return sessions_.size(); }

private:
    class Session;

    os::Loop& loop_;
    const PodSessionLimits limits_;
    const std::shared_ptr<os::ByteBudget> budget_;
    SessionSet<Session> sessions_;
};

}  // namespace muster::server
