// What stands between a cluster's clients and its store: API servers with a cache each. A real kube-apiserver answers
// watches from a cache that lags behind, ends them after a while, forgets old versions, and refuses requests when it
// has too much to do. Faults set the ways; without them clients read from the store itself.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/prng.h"
#include "base/result.h"
#include "os/loop/loop.h"
#include "store/journal.h"

namespace muster::sim {

struct ApiWays {
    int caches = 0;         // API servers; a connection may be to any of them. 0: no cache
    Duration lag_max{};     // each cache has a lag of its own, up to this
    Duration watch_life{};  // a watch ends after half to all of it; 0: it does not end
    Duration bookmark{};    // how often a watch tells that nothing has happened; 0: never
    Duration kept{};        // a watch can go on from versions of so long ago, and not from older ones; 0: see the store
    int throttle = 0;       // in a thousand requests: 429
    std::int64_t retry_after_max = 1;  // seconds that a 429 asks for
    std::int64_t jump_max = 0;         // revisions that others have used while the server was away
};

class ApiFront {
public:
    ApiFront(os::Loop& loop, Prng random) : loop_(loop), random_(random) {}

    ApiWays ways;

    // Something is durable.
    void note_durable(store::Revision revision);
    // The data is another, and its versions begin here.
    void begin_at(store::Revision revision);

    // The lag of the cache that a connection meets.
    Duration draw_lag();
    // Nothing: the watch does not end.
    std::optional<Duration> draw_watch_life();
    // The newest that a cache with that lag shows.
    store::Revision shown(Duration lag) const;
    // A watch cannot begin before it.
    store::Revision oldest() const { return ways.kept > Duration() ? shown(ways.kept) : 0; }
    std::optional<Error> refuse();
    std::int64_t draw_jump() { return ways.jump_max == 0 ? 0 : random_.between(0, ways.jump_max); }

private:
    struct Mark {
        Duration at;
        store::Revision revision;
    };
    os::Loop& loop_;
    Prng random_;
    std::vector<Duration> lags_;
    std::deque<Mark> marks_;  // what was durable when
};

}  // namespace muster::sim
