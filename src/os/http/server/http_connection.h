// One peer's connection on its carrying thread: TLS, then requests one after the other, each given to the service when
// its head is there and answered before the next. A body is read when the service asks for it. While the connection
// waits for an answer it keeps reading, so that it notices when the peer has gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/descriptor.h"
#include "os/http/server/http_answer.h"
#include "os/http/server/http_request_reader.h"
#include "os/http/tls_session.h"
#include "os/loop/real_loop.h"
#include "os/machine/byte_budget.h"

namespace muster::os {

class HttpCarrier;
class Outbox;

class HttpConnection {
public:
    HttpConnection(HttpCarrier& carrier, std::uint64_t id, Descriptor socket, Address peer);
    ~HttpConnection();

    // Goes on reading what the socket holds.
    void receive();
    // Sends what the service has given since.
    void deliver(Outbox& outbox);
    // Sends as much of the answer as the socket takes, and as others can wait for.
    void pump();
    // By the carrier's uptime; Duration::max() when it may wait for ever.
    Duration deadline() const { return deadline_; }
    // The same when places are few: a client that is not known and sends no request has less time.
    Duration crowded_deadline() const;
    void on_deadline();
    // The server stops: ends as soon as what it is answering is answered. A stream ends where it is.
    void drain();
    // Closes now. A service that is still answering is told that the peer has gone.
    void close();

private:
    enum class Phase { kHandshake, kIdle, kHead, kBody, kSkipping, kAnswering, kSending, kLingering, kClosed };

    void on_ready(RealLoop::Readiness ready);
    bool may_read() const;
    void on_received(std::string_view bytes);
    void on_ended_unread();
    bool on_first_bytes(std::string_view bytes);
    void on_ciphertext(std::string_view bytes);
    void on_established();
    void on_plaintext(std::string_view bytes);
    std::size_t consume(std::string_view bytes);
    void consume_kept();
    bool step(std::string_view bytes, std::size_t& used);
    void serve();
    void want_body(Work arrived);
    void on_body();
    void leave_body();
    void lose_exchange();
    bool recount(HeldBytes::Rule rule = HeldBytes::Rule::kWithinLimits);
    void on_too_many_bytes();
    void refuse(int status, std::string_view message);

    void start_tunnel(HttpResponse head, HttpExchange::OnReceived received);
    void give_received(std::string_view bytes);
    void start_answer(HttpAnswer answer);
    void make_long(HttpResponse response);
    void answer_done();
    void say(std::string_view plaintext);
    void send_out();
    void flush_unsent();
    void linger();
    void enter(Phase phase);

    HttpCarrier& carrier_;
    const std::uint64_t id_;
    Descriptor socket_;
    RealLoop::WatchId watch_ = 0;
    const Address peer_;
    std::uint64_t flow_ = 0;  // of the latest request; decides the order of turns
    Phase phase_ = Phase::kHandshake;
    bool peer_ended_ = false;   // the kernel has said so: what there is to read ends
    bool read_paused_ = false;  // there is something to read, and it waits
    bool consuming_ = false;
    bool pumping_ = false;
    bool shut_ = false;  // our side of the socket
    Duration deadline_ = Duration::max();
    Duration phase_began_{};

    std::unique_ptr<TlsSession> tls_;
    std::unique_ptr<TlsPeer> certificate_;
    std::string kept_;    // plaintext that is not used yet
    std::string unsent_;  // what the socket has not taken
    std::size_t unsent_at_ = 0;
    HeldBytes held_;              // what is kept for the user: requests and answers
    HeldBytes unsent_held_;       // what the socket has not taken
    std::uint64_t user_ = 0;      // of the latest request; these bytes count for this user
    std::size_t body_bytes_ = 0;  // of a body that the service has, until it is answered

    std::unique_ptr<RequestReader> reader_;  // until the request's body is there, or skipped
    Work body_arrived_;                      // to be called when the body is there
    AnswerTerms terms_;
    std::shared_ptr<Outbox> outbox_;
    std::unique_ptr<HttpAnswer> answer_;
    HttpExchange::OnReceived received_;  // of a tunnel
    std::size_t counted_in_flight_ =
        0;  // bytes of chunks that are encrypted, and with the socket once unsent_ is empty
};

}  // namespace muster::os
