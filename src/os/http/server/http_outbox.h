// Passes an answer from the service, on any thread, to the thread that carries the connection. Each call takes a short
// lock. There is at most one post to the carrying thread until that thread takes what is there.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "os/http/http.h"
#include "os/http/server/http_answer.h"
#include "os/loop/loop.h"

namespace muster::os {

class HttpConnection;
class Outbox;

// The outboxes of one carrying thread that have something for it.
class Inbox {
public:
    // `drain` is called on the loop and takes what is there; `loop` must outlive the time until `close`.
    Inbox(Loop& loop, std::function<void()> drain) : loop_(&loop), drain_(std::move(drain)) {}

    // False after close.
    bool push(std::shared_ptr<Outbox> outbox);
    // `taken` is emptied first and gives its room to the next.
    void take(std::vector<std::shared_ptr<Outbox>>& taken);
    void close();

private:
    std::mutex mutex_;  // guards all below
    Loop* loop_;
    std::function<void()> drain_;
    bool posted_ = false;
    std::vector<std::shared_ptr<Outbox>> waiting_;
};

class Outbox : public std::enable_shared_from_this<Outbox> {
public:
    // Begins as if it were in the inbox (`queued_`): its creator calls take() itself after it has called the service.
    Outbox(std::shared_ptr<Inbox> inbox, HttpConnection& owner) : inbox_(std::move(inbox)), connection(&owner) {}

    // For the service, on any thread.
    void respond(HttpResponse response);
    void begin_stream(HttpResponse head);
    void write(SharedBytes chunk);
    void finish();
    void cut();
    void begin_tunnel(HttpResponse head, HttpExchange::OnReceived received);
    void took(std::size_t bytes);
    void when_gone(Work work);
    void read_body(Work arrived);
    std::string take_body();
    std::size_t unsent() const { return unsent_.load(std::memory_order_relaxed); }

    // The response that was taken, made into what is sent. Any thread may call it.
    void give(HttpAnswer answer);

    // For the carrying thread.
    struct Taken {
        std::optional<HttpResponse> response;
        std::optional<HttpAnswer> made;
        bool is_stream = false;
        bool finished = false;
        bool cut = false;
        std::vector<SharedBytes> chunks;
        Work gone;        // to be called at once
        Work wants_body;  // to be called when the body is there
        HttpExchange::OnReceived received;
    };
    void put_body(std::string body);
    // What was given since the last call; `room` is an empty vector to fill next.
    Taken take(std::vector<SharedBytes> room = {});
    void count_unsent(std::size_t bytes) { unsent_.fetch_add(bytes, std::memory_order_relaxed); }
    void count_sent(std::size_t bytes) { unsent_.fetch_sub(bytes, std::memory_order_relaxed); }
    // Of a tunnel, what was received and is not done with.
    std::size_t untaken() const { return untaken_.load(std::memory_order_relaxed); }
    void count_received(std::size_t bytes) { untaken_.fetch_add(bytes, std::memory_order_relaxed); }
    // The answer is complete: nothing is left to tell.
    void complete();
    // The peer has gone: calls who wants to know, and takes nothing any more.
    void lose();

private:
    enum class Phase { kOpen, kAnswered, kStreaming, kFinished, kClosed };
    void announce(std::unique_lock<std::mutex> lock);

    std::shared_ptr<Inbox> inbox_;
    std::atomic<std::size_t> unsent_{0};
    std::atomic<std::size_t> untaken_{0};
    std::mutex mutex_;  // guards all below but `connection`
    Phase phase_ = Phase::kOpen;
    bool queued_ = true;
    bool gone_ = false;
    bool cut_ = false;
    std::optional<HttpResponse> response_;
    std::optional<HttpAnswer> made_;
    std::vector<SharedBytes> chunks_;
    Work when_gone_;
    Work wants_body_;  // holds the exchange and with it this outbox, until it is called or the peer has gone
    std::string body_;
    HttpExchange::OnReceived received_;

public:
    // The carrying thread's.
    HttpConnection* connection;  // null when it has closed
    std::uint64_t flow = 0;      // whose turn its answer takes
    std::uint64_t user = 0;      // its bytes count for this user
};

// The service's side of an outbox.
std::unique_ptr<HttpExchange> make_exchange(std::shared_ptr<Outbox> outbox, HttpRequest request);

}  // namespace muster::os
