#include "server/access/flow.h"

#include <algorithm>

#include "base/check.h"

namespace muster::server {

constexpr int kRetryAfterSeconds = 1;

std::size_t FlowControl::share(FlowKind kind) const {
    const auto share = static_cast<std::size_t>(static_cast<double>(seats(kind)) * options_.share_max);
    return std::max<std::size_t>(crowded_ ? std::min(share, options_.crowded_max) : share, 1);
}

// Sets crowded_ when more than one flow sent requests lately. A single flow may use more seats.
void FlowControl::notice(std::string_view flow, Duration uptime) {
    if (uptime - recent_since_ >= 1s) {
        earlier_ = uptime - recent_since_ < 2s ? std::move(recent_) : decltype(recent_)();
        recent_.clear();
        recent_since_ = uptime;
    }
    recent_.insert(std::hash<std::string_view>()(flow));
    crowded_ =
        recent_.size() > 1 || earlier_.size() > 1 || (earlier_.size() == 1 && !recent_.contains(*earlier_.begin()));
}

void FlowControl::start(Lane& lane, Flows::value_type& entry) {
    ++lane.under_way;
    ++entry.second.under_way;
    entry.second.served = ++lane.seats_given;
}

FlowDecision FlowControl::arrive(std::string_view flow, FlowKind kind, Duration uptime) {
    notice(flow, uptime);
    Lane& lane = lanes_[index(kind)];
    auto found = lane.flows.find(flow);
    if (found == lane.flows.end()) found = lane.flows.try_emplace(std::string(flow)).first;
    Flow& own = found->second;
    // A seat is free only when no waiting request may take it, so requests keep their order within a flow and among
    // flows.
    const bool may_start = lane.under_way < seats(kind) && own.under_way < share(kind) && own.queue.empty();
    if (!may_start && (own.queue.size() >= options_.queue_max || lane.waiting >= options_.waiting_max)) {
        if (own.under_way == 0 && own.queue.empty()) lane.flows.erase(found);
        return {FlowAnswer::kRefuse, 0, kRetryAfterSeconds};
    }
    const FlowTicket ticket = ++last_ticket_;
    requests_.emplace(ticket, Request{kind, found->first, uptime, may_start});
    if (may_start) {
        start(lane, *found);
        return {FlowAnswer::kStart, ticket};
    }
    own.queue.insert(ticket);
    by_arrival_.emplace(uptime, ticket);
    ++lane.waiting;
    lane.turns.insert(turn_of(*found));
    return {FlowAnswer::kWait, ticket};
}

// Removes the request from all indexes and frees its seat. Does not start waiting requests.
void FlowControl::forget(FlowTicket ticket) {
    const auto request = requests_.find(ticket);
    CHECK(request != requests_.end(), "a ticket that was never given, or was used twice");
    Lane& lane = lanes_[index(request->second.kind)];
    const auto flow = lane.flows.find(request->second.flow);
    lane.turns.erase(turn_of(*flow));
    Flow& own = flow->second;
    if (request->second.started) {
        --lane.under_way;
        --own.under_way;
    } else {
        own.queue.erase(ticket);
        by_arrival_.erase({request->second.arrived, ticket});
        --lane.waiting;
    }
    requests_.erase(request);
    if (!own.queue.empty()) lane.turns.insert(turn_of(*flow));
    if (own.queue.empty() && own.under_way == 0) lane.flows.erase(flow);
}

std::vector<FlowTicket> FlowControl::fill_seats(FlowKind kind) {
    Lane& lane = lanes_[index(kind)];
    std::vector<FlowTicket> started;
    // The first has the fewest under way: when it has its share already, everybody who waits has.
    while (lane.under_way < seats(kind) && !lane.turns.empty() && lane.turns.begin()->under_way < share(kind)) {
        const auto flow = lane.flows.find(lane.turns.begin()->flow);
        lane.turns.erase(lane.turns.begin());
        const FlowTicket ticket = *flow->second.queue.begin();
        flow->second.queue.erase(flow->second.queue.begin());
        --lane.waiting;
        Request& request = requests_.at(ticket);
        by_arrival_.erase({request.arrived, ticket});
        request.started = true;
        start(lane, *flow);
        if (!flow->second.queue.empty()) lane.turns.insert(turn_of(*flow));
        started.push_back(ticket);
    }
    return started;
}

std::vector<FlowTicket> FlowControl::finish(FlowTicket ticket) { return cancel(ticket); }

std::vector<FlowTicket> FlowControl::cancel(FlowTicket ticket) {
    const auto request = requests_.find(ticket);
    CHECK(request != requests_.end(), "a ticket that was never given, or was used twice");
    const FlowKind kind = request->second.kind;
    forget(ticket);
    return fill_seats(kind);
}

std::vector<FlowTicket> FlowControl::expire(Duration uptime) {
    std::vector<FlowTicket> expired;
    while (!by_arrival_.empty() && uptime - by_arrival_.begin()->first >= options_.wait_max) {
        expired.push_back(by_arrival_.begin()->second);
        forget(expired.back());
    }
    return expired;
}

}  // namespace muster::server
