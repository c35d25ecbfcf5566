// What lies between a client and the server. Each connection has a name; a packet on it may be late, lost on either
// way, or arrive twice, and a whole connection may be cut off. Faults set the odds; healing sets them to nothing.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/instant.h"
#include "base/prng.h"
#include "client/client.h"

namespace muster::sim {

struct NetworkOdds {
    int lose_request = 0;  // all in a thousand
    int lose_answer = 0;
    int duplicate = 0;
    int ghost = 0;  // the caller gives up, and the request arrives all the same, later
    int delay = 0;
    int cut_watch = 0;     // per batch of events
    int expire_watch = 0;  // the same
    int hold_watch = 0;    // the same: events come late
    Duration delay_max = 2s;
};

struct Packet {
    Duration request_delay{};
    Duration answer_delay{};
    bool lose_request = false;
    bool lose_answer = false;
    bool duplicate = false;
    Duration duplicate_delay{};
    bool ghost = false;
};

enum class WatchFate { kDeliver, kHold, kCut, kExpire };

// A client's end of a connection, as the network knows it.
struct Line {
    std::string name;
    bool outside = true;  // another process than the server
    bool cut_off = false;
    // The newest version of what the client lists and watches that it knows.
    std::map<std::pair<const api::KindInfo*, client::Client::View>, std::uint64_t> versions{};
};

class Network {
public:
    explicit Network(Prng random) : random_(random) {}

    NetworkOdds odds;
    Duration latency_max{};  // of every packet, healed or not

    std::shared_ptr<Line> line(const std::string& name, bool outside);
    const std::map<std::string, std::shared_ptr<Line>>& lines() const { return lines_; }
    Packet draw(const Line& line);
    WatchFate draw_watch(const Line& line, Duration* hold);
    static constexpr Duration kTimeout = 5s;

private:
    bool hits(int permille) { return random_.chance(static_cast<std::uint64_t>(permille), 1000); }
    Duration up_to(Duration most) {
        return Duration(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most.count()) + 1)));
    }

    Prng random_;
    std::map<std::string, std::shared_ptr<Line>> lines_;
};

}  // namespace muster::sim
