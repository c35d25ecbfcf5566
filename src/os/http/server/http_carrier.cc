#include "os/http/server/http_carrier.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "os/http/server/short_turns.h"

namespace muster::os {
namespace {

constexpr std::int64_t kMixedForMs = 100;

std::int64_t steady_ms() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1); }

std::string format_date(std::int64_t unix_seconds) {
    const std::time_t time = unix_seconds;
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[40];
    return {text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace

HttpShared::HttpShared(HttpService& answering, const HttpLimits& allowed, std::shared_ptr<ByteBudget> kept)
    : service(answering),
      limits(allowed),
      budget(kept ? std::move(kept) : std::make_shared<ByteBudget>()),
      strangers(budget->account_of(0)),
      all(budget->account_of_all()) {
    long_answers.run(&give_way);
}

HttpCarrier::HttpCarrier(HttpShared& shared)
    : shared_(shared), inbox_(std::make_shared<Inbox>(loop_, [this] { deliver_inbox(); })), thread_("http") {
    thread_.run([this] {
        ask_for_short_turns();
        loop_.run();
    });
}

HttpCarrier::~HttpCarrier() {
    loop_.post([this] {
        inbox_->close();
        cut_all();
        retired_.clear();
        loop_.stop();
    });
}

void HttpCarrier::adopt(Descriptor socket, Address peer) {
    loop_.post([this, socket = std::move(socket), peer = std::move(peer)]() mutable {
        const std::uint64_t id = ++last_connection_;
        connections_.emplace(id, std::make_unique<HttpConnection>(*this, id, std::move(socket), std::move(peer)));
        expect_sweep();
    });
}

void HttpCarrier::drain(Work emptied) {
    loop_.post([this, emptied = std::move(emptied)]() mutable {
        emptied_ = std::move(emptied);
        draining_ = true;
        std::vector<HttpConnection*> all;
        for (const auto& [id, connection] : connections_) all.push_back(connection.get());
        for (HttpConnection* connection : all) connection->drain();
        look_whether_empty();
    });
}

void HttpCarrier::cut_all() {
    std::vector<HttpConnection*> all;
    for (const auto& [id, connection] : connections_) all.push_back(connection.get());
    for (HttpConnection* connection : all) connection->close();
}

void HttpCarrier::retire(std::uint64_t id) {
    const auto found = connections_.find(id);
    CHECK(found != connections_.end());
    // It may be on the stack, so it goes on a later turn.
    if (retired_.empty()) loop_.post([this] { retired_.clear(); });
    retired_.push_back(std::move(found->second));
    connections_.erase(found);
    shared_.connections.fetch_sub(1);
    look_whether_empty();
}

void HttpCarrier::look_whether_empty() {
    if (!draining_ || !connections_.empty() || !emptied_) return;
    Work emptied = std::move(emptied_);
    emptied();
}

void HttpCarrier::read_in_turn(std::uint64_t id, std::uint64_t flow) {
    if (std::exchange(last_flow_, flow) != flow) shared_.mixed_at_ms.store(steady_ms(), std::memory_order_relaxed);
    turns_.add(flow, {HttpTurn::Kind::kReceive, id, nullptr});
    expect_turns();
}

void HttpCarrier::send_in_turn(std::uint64_t id, std::uint64_t flow) {
    turns_.add(flow, {HttpTurn::Kind::kSend, id, nullptr});
    expect_turns();
}

// The answers and chunks that came from other threads.
void HttpCarrier::deliver_inbox() {
    inbox_->take(delivering_);
    for (std::shared_ptr<Outbox>& outbox : delivering_) {
        const std::uint64_t flow = outbox->flow;
        turns_.add(flow, {HttpTurn::Kind::kDeliver, 0, std::move(outbox)});
    }
    delivering_.clear();
    take_turns();
}

void HttpCarrier::expect_turns() {
    if (turns_.empty() || std::exchange(turns_expected_, true)) return;
    loop_.post([this] {
        turns_expected_ = false;
        take_turns();
    });
}

// Works for at most kAtOnce, then lets the loop look for ready sockets, so that a new flow gets a turn soon.
void HttpCarrier::take_turns() {
    constexpr Duration kAtOnce = 200us;
    const Duration end = loop_.uptime() + kAtOnce;
    while (const std::optional<HttpTurn> turn = turns_.next()) {
        take(*turn);
        if (loop_.uptime() < end) continue;
        // A thread that was woken by this work may be waiting for this processor; without a yield it waits for the
        // kernel's tick. Yielding costs a quarter of the throughput, so it is done only while there are several flows.
        if (steady_ms() - shared_.mixed_at_ms.load(std::memory_order_relaxed) < kMixedForMs) ::sched_yield();
        break;
    }
    expect_turns();
}

void HttpCarrier::take(const HttpTurn& turn) {
    if (turn.kind == HttpTurn::Kind::kDeliver) {
        if (turn.outbox->connection) {
            turn.outbox->connection->deliver(*turn.outbox);
        } else if (Work gone = turn.outbox->take().gone) {
            gone();
        }
        return;
    }
    const auto found = connections_.find(turn.connection);
    if (found == connections_.end()) return;
    turn.kind == HttpTurn::Kind::kReceive ? found->second->receive() : found->second->pump();
}

Duration HttpCarrier::sweep_period() const {
    const HttpLimits& limits = shared_.limits;
    const Duration shortest =
        std::min({limits.handshake_timeout, limits.head_timeout, limits.body_timeout, limits.idle_timeout,
                  limits.send_timeout, limits.linger_timeout, limits.crowded_timeout});
    return std::clamp<Duration>(shortest / 4, 5ms, 1s);
}

// One timer for all connections of the thread: a request need not touch it.
void HttpCarrier::expect_sweep() {
    if (std::exchange(sweeping_, true)) return;
    loop_.after(sweep_period(), [this] {
        sweeping_ = false;
        sweep();
        if (!connections_.empty()) expect_sweep();
    });
}

void HttpCarrier::sweep() {
    const Duration now = loop_.uptime();
    const std::size_t places =
        std::min(shared_.limits.connections_max, static_cast<std::size_t>(shared_.limits.first_reserved_descriptor));
    const bool is_crowded = shared_.connections.load() >= places - places / 4;
    std::vector<HttpConnection*> late;
    for (const auto& [id, connection] : connections_)
        if ((is_crowded ? connection->crowded_deadline() : connection->deadline()) <= now)
            late.push_back(connection.get());
    for (HttpConnection* connection : late) connection->on_deadline();
}

std::string_view HttpCarrier::date() {
    const std::int64_t now = loop_.now().unix_seconds();
    if (now != date_second_) {
        date_second_ = now;
        date_ = format_date(now);
    }
    return date_;
}

}  // namespace muster::os
