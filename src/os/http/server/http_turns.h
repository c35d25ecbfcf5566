// The order of work on a carrying thread. Input from a connection's socket and output from its service wait here. The
// thread takes one piece from each flow in rotation, so another flow waits for one piece only, however many connections
// a flow has. The service assigns a connection to a flow (HttpExchange::belongs_to); until then it is in flow 0.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace muster::os {

class Outbox;

struct HttpTurn {
    enum class Kind : std::uint8_t { kReceive, kSend, kDeliver };
    Kind kind = Kind::kReceive;
    std::uint64_t connection = 0;      // of kReceive and kSend
    std::shared_ptr<Outbox> outbox{};  // of kDeliver
};

class HttpTurns {
public:
    void add(std::uint64_t flow, HttpTurn turn) {
        Waiting& waiting = flows_[flow];
        if (waiting.turns.empty()) order_.push_back(flow);
        waiting.turns.push_back(std::move(turn));
    }
    bool empty() const { return order_.empty(); }
    // In a flow, in the order in which they came.
    std::optional<HttpTurn> next() {
        if (order_.empty()) return {};
        const std::uint64_t flow = order_.front();
        order_.pop_front();
        const auto found = flows_.find(flow);
        Waiting& waiting = found->second;
        HttpTurn turn = std::move(waiting.turns[waiting.taken++]);
        if (waiting.taken < waiting.turns.size())
            order_.push_back(flow);
        else
            flows_.erase(found);
        return turn;
    }

private:
    struct Waiting {
        std::vector<HttpTurn> turns{};
        std::size_t taken = 0;
    };
    std::unordered_map<std::uint64_t, Waiting> flows_;  // those that have something
    std::deque<std::uint64_t> order_;
};

}  // namespace muster::os
