// A thread that carries connections: its loop, the connections it holds, and the buffers they take turns with. Nothing
// in it is shared with other carriers but what stands in HttpShared.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "os/descriptor.h"
#include "os/http/server/http_connection.h"
#include "os/http/server/http_outbox.h"
#include "os/http/server/http_turns.h"
#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"

namespace muster::os {

// What the carriers of one server share.
struct HttpShared {
    HttpShared(HttpService& answering, const HttpLimits& allowed, std::shared_ptr<ByteBudget> kept);

    HttpService& service;
    const HttpLimits limits;
    const std::shared_ptr<ByteBudget> budget;
    const std::shared_ptr<ByteBudget::Account> strangers;
    const std::shared_ptr<ByteBudget::Account> all;
    ThreadWorker long_answers{"long answers"};
    std::atomic<std::size_t> connections{0};
    std::atomic<std::uint64_t> requests{0};
    // When, by the steady clock, a carrier last heard of one flow after another: several come at the time.
    std::atomic<std::int64_t> mixed_at_ms{-1'000'000};

    TlsContext tls() {
        std::lock_guard lock(mutex_);
        return context_;
    }
    void set_tls(TlsContext next) {
        std::lock_guard lock(mutex_);
        context_.swap(next);
    }
    bool uses_tls = false;

private:
    std::mutex mutex_;
    TlsContext context_;
};

class HttpCarrier {
public:
    explicit HttpCarrier(HttpShared& shared);
    // Cuts what is still connected.
    ~HttpCarrier();

    RealLoop& loop() { return loop_; }
    // Takes over a connected socket, which is counted already. Any thread may call it.
    void adopt(Descriptor socket, Address peer);
    // Closes connections as they become idle, ends streams, and calls `emptied`, on its loop, when none is left. Any
    // thread may call it, once.
    void drain(Work emptied);
    // Cuts the connections that are left. On the loop.
    void cut_all();

    // For its connections, on its loop.
    HttpShared& shared() { return shared_; }
    const HttpLimits& limits() const { return shared_.limits; }
    const std::shared_ptr<Inbox>& inbox() const { return inbox_; }
    bool draining() const { return draining_; }
    std::string_view date();
    // Destroys the connection on a later turn.
    void retire(std::uint64_t connection);
    // Has the connection receive, or send, when its flow's turn comes.
    void read_in_turn(std::uint64_t connection, std::uint64_t flow);
    void send_in_turn(std::uint64_t connection, std::uint64_t flow);

    std::array<char, 32u << 10> received;
    std::array<char, HttpAnswer::kSliceMax> plaintext;
    std::string out;      // what is to be sent, TLS records or not
    std::string scratch;  // what becomes a record

private:
    void sweep();
    void expect_sweep();
    void deliver_inbox();
    void take_turns();
    void take(const HttpTurn& turn);
    void expect_turns();
    void look_whether_empty();
    Duration sweep_period() const;

    HttpShared& shared_;
    RealLoop loop_;
    std::shared_ptr<Inbox> inbox_;
    std::unordered_map<std::uint64_t, std::unique_ptr<HttpConnection>> connections_;
    std::vector<std::unique_ptr<HttpConnection>> retired_;
    HttpTurns turns_;
    bool turns_expected_ = false;
    std::uint64_t last_flow_ = 0;
    std::vector<std::shared_ptr<Outbox>> delivering_;
    std::uint64_t last_connection_ = 0;
    bool sweeping_ = false;
    bool draining_ = false;
    Work emptied_;
    std::int64_t date_second_ = -1;
    std::string date_;
    ThreadWorker thread_;  // last: it ends first
};

}  // namespace muster::os
