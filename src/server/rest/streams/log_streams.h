// The logs that clients are reading. Each is a coroutine that asks the node for the next part when the client has taken
// most of what it was sent: a slow client slows only its own reading, and one that goes away ends it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "os/http/http.h"
#include "os/loop/loop.h"
#include "os/machine/byte_budget.h"
#include "server/rest/node_access.h"
#include "server/rest/streams/remote_command.h"

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
    void start(std::unique_ptr<LogSource> source, std::unique_ptr<os::HttpExchange> exchange,
               std::optional<Upgrade> upgrade = {});
    std::size_t count() const { return sessions_.size(); }

private:
    class Session;
    void forget(std::uint64_t id);

    os::Loop& loop_;
    const LogStreamLimits limits_;
    const std::shared_ptr<os::ByteBudget> budget_;
    std::map<std::uint64_t, std::unique_ptr<Session>> sessions_;
    std::uint64_t last_id_ = 0;
    std::shared_ptr<LogStreams*> self_;
};

}  // namespace muster::server
