// Limits the number of concurrent requests and decides which waiting request is next. Requests belong to flows, usually
// one per user; a flow must not slow down the others. Each flow has its own queue. A free seat goes to the flow with
// the fewest running requests, and among equals to the flow that was served longest ago. So a client that sends a flood
// of requests waits, and a client with few requests hardly waits at all. Reads and writes have separate seats. A watch
// holds its seat only until its stream has begun. Requests that must always be answered (health, version) bypass flow
// control. Pure: it decides, and the caller acts. On the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/instant.h"

namespace muster::server {

struct FlowOptions {
    std::size_t reads_max = 400;     // under way at once
    std::size_t writes_max = 200;    //
    double share_max = 0.75;         // the part of the seats that one flow may hold; the rest is kept for new flows
    std::size_t crowded_max = 16;    // seats of one flow while others come, too: a light client waits for no more
    std::size_t queue_max = 1024;    // requests of one flow that wait
    std::size_t waiting_max = 8192;  // requests of all flows that wait, of reads and of writes
    Duration wait_max = 15s;         // then it is refused
};

enum class FlowKind : std::uint8_t { kRead, kWrite };
using FlowTicket = std::uint64_t;  // of one request

enum class FlowAnswer {
    kStart,   // go on; call `finish` when the answer is made
    kWait,    // its turn will come: `finish` or `cancel` of another names it; or `expire` does, and it is refused
    kRefuse,  // 429 with Retry-After
};
struct FlowDecision {
    FlowAnswer answer;
    FlowTicket ticket = 0;        // none when refused
    int retry_after_seconds = 0;  // when refused
};

class FlowControl {
public:
    explicit FlowControl(FlowOptions options = {}) : options_(options) {}

    FlowDecision arrive(std::string_view flow, FlowKind kind, Duration uptime);
    // The request is over. Gives those whose turn it is now: each starts, as if it had been answered kStart.
    std::vector<FlowTicket> finish(FlowTicket ticket);
    // The client has gone, whether the request waits or is under way.
    std::vector<FlowTicket> cancel(FlowTicket ticket);
    // Those that have waited too long: they are refused and forgotten. To be called once in a while.
    std::vector<FlowTicket> expire(Duration uptime);

    std::size_t under_way(FlowKind kind) const { return lanes_[index(kind)].under_way; }
    std::size_t waiting(FlowKind kind) const { return lanes_[index(kind)].waiting; }
    std::size_t flows() const { return lanes_[0].flows.size() + lanes_[1].flows.size(); }

private:
    struct Flow {
        std::size_t under_way = 0;
        std::uint64_t served = 0;      // when it last got a seat, counted in seats
        std::set<FlowTicket> queue{};  // tickets rise, so the oldest is first
    };
    // Who waits, in the order in which they get seats.
    struct Turn {
        std::size_t under_way;
        std::uint64_t served;
        std::string_view flow;  // the key in `flows`
        auto operator<=>(const Turn&) const = default;
    };
    struct Lane {
        std::map<std::string, Flow, std::less<>> flows{};
        std::set<Turn> turns{};
        std::size_t under_way = 0;
        std::size_t waiting = 0;
        std::uint64_t seats_given = 0;
    };
    struct Request {
        FlowKind kind;
        std::string_view flow;
        Duration arrived;
        bool started;
    };
    using Flows = std::map<std::string, Flow, std::less<>>;

    static std::size_t index(FlowKind kind) { return static_cast<std::size_t>(kind); }
    std::size_t seats(FlowKind kind) const {
        return kind == FlowKind::kRead ? options_.reads_max : options_.writes_max;
    }
    std::size_t share(FlowKind kind) const;
    static Turn turn_of(const Flows::value_type& entry) {
        return {entry.second.under_way, entry.second.served, entry.first};
    }
    void notice(std::string_view flow, Duration uptime);
    void start(Lane& lane, Flows::value_type& entry);
    void forget(FlowTicket ticket);
    std::vector<FlowTicket> fill_seats(FlowKind kind);

    FlowOptions options_;
    Lane lanes_[2];
    std::unordered_map<FlowTicket, Request> requests_;
    std::set<std::pair<Duration, FlowTicket>> by_arrival_;  // those that wait
    FlowTicket last_ticket_ = 0;
    std::unordered_set<std::size_t> recent_;   // hashes of the flows that came in this second
    std::unordered_set<std::size_t> earlier_;  // and in the one before
    Duration recent_since_{};
    bool crowded_ = false;
};

}  // namespace muster::server
