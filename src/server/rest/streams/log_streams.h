// The logs that clients are reading. Each is a coroutine that asks the node for the next part when the client has taken
// most of what it was sent: a slow client slows only its own reading, and one that goes away ends it.
#pragma once

#include <memory>
#include <optional>

#include "client/pods/pod_access.h"
#include "os/http/http.h"
#include "os/loop/loop.h"
#include "os/machine/byte_budget.h"
#include "server/rest/streams/remote_command.h"
#include "server/rest/streams/session_set.h"

namespace muster::server {

struct LogStreamLimits {
    std::size_t streams_max = 10'000;           // one more is answered with a 429
    std::size_t unsent_bytes_max = 256u << 10;  // a client that is further behind is waited for
};

class LogStreams {
public:
    explicit LogStreams(os::Loop& loop, LogStreamLimits limits = {},
                        std::shared_ptr<os::ByteBudget> budget = std::make_shared<os::ByteBudget>());
    ~LogStreams();

    // Answers the exchange for good, with an upgrade as messages of a WebSocket. Without a source the log is empty.
    void start(std::unique_ptr<client::LogStream> source, std::unique_ptr<os::HttpExchange> exchange,
               std::optional<Upgrade> upgrade = {});
    std::size_t count() const { return sessions_.size(); }

private:
    class Session;

    os::Loop& loop_;
    const LogStreamLimits limits_;
    const std::shared_ptr<os::ByteBudget> budget_;
    SessionSet<Session> sessions_;
};

}  // namespace muster::server
