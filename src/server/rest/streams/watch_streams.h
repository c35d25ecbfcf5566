// The watches of clients outside the process. Each is a detached coroutine that pulls the store's history and writes
// the events that its client may see. It ends when the client disconnects, at its timeout, when it falls behind the
// history (410 in the stream), or when the client does not read (the connection is cut; sooner when the server buffers
// too much for all clients).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/prng.h"
#include "os/http/http.h"
#include "os/loop/task.h"
#include "server/objects/objects.h"
#include "server/rest/call.h"
#include "server/rest/streams/remote_command.h"
#include "server/rest/streams/session_set.h"
#include "server/rest/streams/watch_event.h"

namespace muster::server {

struct WatchLimits {
    std::size_t unsent_bytes_max = 16u << 20;   // what a client may be behind
    std::size_t crowded_bytes_max = 64u << 10;  // and what when the server keeps too much for all of them together
    Duration bookmark_period = 60s;
    Duration time_min = 30min;  // without timeoutSeconds a watch ends after this to twice this
    // With many watches, each collects events for so long per watch there is before it writes: one write for many.
    Duration pace_per_watch = 20us;
    Duration pace_max = 25ms;
};

class WatchStreams {
public:
    WatchStreams(Objects& objects, std::uint64_t seed, WatchLimits limits = {},
                 std::shared_ptr<os::ByteBudget> budget = std::make_shared<os::ByteBudget>());
    ~WatchStreams();

    // Answers the exchange for good, with an upgrade as messages of a WebSocket. The query was checked.
    void start(Call call, ListQuery list, std::unique_ptr<os::HttpExchange> exchange,
               std::optional<Upgrade> upgrade = {});
    // Ends all of them in order: the process is about to stop.
    void finish_all();
    std::size_t count() const { return sessions_.size(); }

private:
    class Session;
    friend class Session;

    Objects& objects_;
    Prng random_;
    WatchLimits limits_;
    const std::shared_ptr<os::ByteBudget> budget_;
    EncodedEvents encoded_{*budget_};
    JoinedEvents joined_{*budget_};
    std::vector<os::SharedBytes> batch_;  // of the session that is collecting events
    SessionSet<Session> sessions_;
};

}  // namespace muster::server
