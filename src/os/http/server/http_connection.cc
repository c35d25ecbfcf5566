#include "os/http/server/http_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "os/errno_error.h"
#include "os/http/http_gzip.h"
#include "os/http/server/http_carrier.h"
#include "os/http/server/http_outbox.h"

namespace muster::os {
namespace {

void set_option(const Descriptor& socket, int level, int option, int value) {
    ::setsockopt(socket.number(), level, option, &value, sizeof(value));  // a peer that has reset is no error here
}

// A peer that vanishes without a word is noticed within two minutes, even if nothing is ever sent to it.
void prepare_socket(const Descriptor& socket) {
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

bool looks_like_http(std::string_view bytes) {
    constexpr std::array<std::string_view, 7> kStarts = {"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO"};
    return std::any_of(kStarts.begin(), kStarts.end(),
                       [&](std::string_view start) { return bytes.starts_with(start); });
}

constexpr std::string_view kTooManyBytes = "too much is kept for this client at the moment, please try again later";

// What API clients understand, where the service could have said the same.
HttpResponse refusal(int status, std::string_view message) {
    HttpResponse response;
    response.status = status;
    const bool is_too_many = status == 429;
    if (status != 413 && !is_too_many) {
        response.headers.push_back({"Content-Type", "text/plain; charset=utf-8"});
        response.body = std::to_string(status) + " " + std::string(reason_phrase(status)) + ": " + std::string(message);
        return response;
    }
    response.headers.push_back({"Content-Type", "application/json"});
    if (is_too_many) response.headers.push_back({"Retry-After", "1"});
    response.body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
                    std::string(is_too_many ? "" : "Request entity too large: ") + std::string(message) +
                    R"(","reason":")" + (is_too_many ? "TooManyRequests" : "RequestEntityTooLarge") + R"(","code":)" +
                    std::to_string(status) + "}\n";
    return response;
}

void let_go(std::string& text) { std::string().swap(text); }

}  // namespace

HttpConnection::HttpConnection(HttpCarrier& carrier, std::uint64_t id, Descriptor socket, Address peer)
    : carrier_(carrier),
      id_(id),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      held_(carrier.shared().strangers),
      unsent_held_(carrier.shared().all) {
    prepare_socket(socket_);
    enter(carrier_.shared().uses_tls ? Phase::kHandshake : Phase::kIdle);
    watch_ = carrier_.loop().watch(socket_.number(), [this](RealLoop::Readiness ready) { on_ready(ready); });
}

HttpConnection::~HttpConnection() = default;

void HttpConnection::enter(Phase phase) {
    phase_ = phase;
    phase_began_ = carrier_.loop().uptime();
    const HttpLimits& limits = carrier_.limits();
    const auto within = [this](Duration span) { return phase_began_ + span; };
    switch (phase) {
        case Phase::kHandshake: deadline_ = within(limits.handshake_timeout); break;
        case Phase::kIdle: deadline_ = within(limits.idle_timeout); break;
        case Phase::kHead: deadline_ = within(limits.head_timeout); break;
        case Phase::kBody:
        case Phase::kSkipping: deadline_ = within(limits.body_timeout); break;
        case Phase::kSending: deadline_ = within(limits.send_timeout); break;
        case Phase::kLingering: deadline_ = within(limits.linger_timeout); break;
        case Phase::kAnswering:
        case Phase::kClosed: deadline_ = Duration::max(); break;
    }
}

Duration HttpConnection::crowded_deadline() const {
    const bool is_known = user_ != 0 || (certificate_ && certificate_->certificate);
    if (is_known || phase_ > Phase::kHead) return deadline_;
    return std::min(deadline_, phase_began_ + carrier_.limits().crowded_timeout);
}

void HttpConnection::on_deadline() {
    if (phase_ == Phase::kHead || phase_ == Phase::kBody) return refuse(408, "the request took too long to arrive");
    close();
}

void HttpConnection::drain() {
    if (answer_ && answer_->is_stream()) {
        outbox_->lose();
        answer_->finish();
        pump();
    } else if (phase_ == Phase::kIdle || phase_ == Phase::kSkipping) {
        linger();
    } else if (phase_ == Phase::kHandshake) {
        close();
    }
    terms_.keeps_alive = false;
}

void HttpConnection::close() {
    if (phase_ == Phase::kClosed) return;
    enter(Phase::kClosed);
    carrier_.loop().unwatch(watch_, socket_.number());
    socket_.close();
    lose_exchange();
    held_.resize(0);
    unsent_held_.resize(0);
    carrier_.retire(id_);
}

// Tells the service that the peer has gone.
void HttpConnection::lose_exchange() {
    if (!outbox_) return;
    const std::shared_ptr<Outbox> outbox = std::move(outbox_);
    outbox->connection = nullptr;
    outbox->lose();
    body_arrived_ = Work();
    body_bytes_ = 0;
}

// Reading.

void HttpConnection::on_ready(RealLoop::Readiness ready) {
    if (ready.writable && !unsent_.empty()) flush_unsent();
    peer_ended_ = peer_ended_ || ready.ended;
    if (ready.readable) carrier_.read_in_turn(id_, flow_);
}

bool HttpConnection::may_read() const {
    if (received_ && outbox_) return outbox_->untaken() < carrier_.limits().pipelined_bytes_max;
    const bool answers = phase_ == Phase::kAnswering || phase_ == Phase::kSending;
    if (answers && reader_) return false;  // the input is a body that the service has not asked for
    return !answers || kept_.size() < carrier_.limits().pipelined_bytes_max;
}

void HttpConnection::receive() {
    constexpr int kTurns = 16;
    read_paused_ = false;
    for (int turn = 0; phase_ != Phase::kClosed; ++turn) {
        if (!may_read()) {
            read_paused_ = true;
            if (peer_ended_) on_ended_unread();
            return;
        }
        if (turn == kTurns) return carrier_.read_in_turn(id_, flow_);
        const ssize_t count = ::recv(socket_.number(), carrier_.received.data(), carrier_.received.size(), 0);
        if (count < 0 && would_block(errno)) return;
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return close();
        on_received({carrier_.received.data(), static_cast<std::size_t>(count)});
        // Less than was room for means that this was all: the next byte, or the end, is a new event.
        if (static_cast<std::size_t>(count) < carrier_.received.size() && !peer_ended_) return;
    }
}

// The peer has ended, and what it sent last is not read yet. A tunnel has time to take it.
void HttpConnection::on_ended_unread() {
    if (!received_) return close();
    if (deadline_ == Duration::max()) deadline_ = carrier_.loop().uptime() + carrier_.limits().send_timeout;
}

void HttpConnection::on_received(std::string_view bytes) {
    if (phase_ == Phase::kLingering) return;
    if (!carrier_.shared().uses_tls) return on_plaintext(bytes);
    if (tls_ || on_first_bytes(bytes)) on_ciphertext(bytes);
}

// False when what came is not TLS.
bool HttpConnection::on_first_bytes(std::string_view bytes) {
    if (looks_like_http(bytes)) {
        carrier_.out =
            "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n"
            "Client sent an HTTP request to an HTTPS server.\n";
        send_out();
        linger();
        return false;
    }
    tls_ = TlsSession::of_server(carrier_.shared().tls());
    return true;
}

void HttpConnection::on_ciphertext(std::string_view bytes) {
    tls_->give(bytes);
    while (phase_ != Phase::kClosed && phase_ != Phase::kLingering) {
        carrier_.out.clear();
        const TlsSession::Read read = tls_->read(carrier_.plaintext, carrier_.out);
        if (!carrier_.out.empty()) send_out();
        if (phase_ == Phase::kHandshake && tls_->established()) on_established();
        switch (read.outcome) {
            case TlsSession::Outcome::kPlaintext: on_plaintext({carrier_.plaintext.data(), read.size}); break;
            case TlsSession::Outcome::kMore: return;
            case TlsSession::Outcome::kEnded:
            case TlsSession::Outcome::kFailed: return close();
        }
    }
}

void HttpConnection::on_established() {
    enter(Phase::kIdle);
    auto shown = std::make_unique<TlsPeer>(tls_->peer());
    if (shown->certificate || !shown->error.empty()) certificate_ = std::move(shown);
    if (carrier_.draining()) linger();
}

void HttpConnection::on_plaintext(std::string_view bytes) {
    if (received_) return give_received(bytes);
    if (kept_.empty()) {
        const std::size_t used = consume(bytes);
        if (phase_ != Phase::kClosed) kept_.assign(bytes.substr(used));
    } else {
        kept_ += bytes;
        consume_kept();
    }
    if (received_ && !kept_.empty()) give_received(std::exchange(kept_, {}));
    if (!recount()) on_too_many_bytes();
}

// Whether what is kept now may be kept.
bool HttpConnection::recount(HeldBytes::Rule rule) {
    if (phase_ == Phase::kClosed) return true;
    const std::size_t reading = reader_ ? reader_->body_bytes() : 0;
    const std::size_t sending = answer_ ? answer_->own_bytes() : 0;
    return held_.resize(kept_.size() + reading + body_bytes_ + sending, rule);
}

void HttpConnection::on_too_many_bytes() {
    if (phase_ != Phase::kHead && phase_ != Phase::kBody) return close();
    let_go(kept_);
    refuse(429, kTooManyBytes);
}

void HttpConnection::give_received(std::string_view bytes) {
    if (!outbox_) return;
    outbox_->count_received(bytes.size());
    received_(bytes);
}

void HttpConnection::consume_kept() {
    kept_.erase(0, consume(kept_));
    if (kept_.empty()) let_go(kept_);
}

// Gives how many bytes were used. Those behind a request wait until it is answered.
std::size_t HttpConnection::consume(std::string_view bytes) {
    std::size_t used = 0;
    consuming_ = true;
    while (used < bytes.size() && phase_ <= Phase::kSkipping) {
        if (!reader_) {
            reader_ = std::make_unique<RequestReader>(carrier_.limits());
            enter(Phase::kHead);
        }
        if (!step(bytes, used)) break;
    }
    consuming_ = false;
    return used;
}

// False when more must come first.
bool HttpConnection::step(std::string_view bytes, std::size_t& used) {
    used += reader_->consume(bytes.substr(used));
    const RequestReader::State state = reader_->state();
    if (state == RequestReader::State::kRefused) {
        const RequestReader::Refusal refusal = reader_->refusal();
        phase_ == Phase::kSkipping ? close() : refuse(refusal.status, refusal.message);
    } else if (phase_ == Phase::kHead && state != RequestReader::State::kHead) {
        serve();
    } else if (phase_ == Phase::kBody && state == RequestReader::State::kDone) {
        on_body();
    } else if (phase_ == Phase::kSkipping && state == RequestReader::State::kDone) {
        reader_.reset();
        enter(Phase::kIdle);
    } else {
        return false;
    }
    return true;
}

// The head is there.
void HttpConnection::serve() {
    terms_ = {.head_only = reader_->request().method == "HEAD",
              .takes_gzip = accepts_gzip(reader_->request().header("accept-encoding")),
              .takes_chunks = reader_->takes_chunks(),
              .keeps_alive = reader_->keeps_alive() && !carrier_.draining()};
    HttpRequest request = reader_->take_head();
    request.peer = peer_;
    if (certificate_) {
        const bool timely = certificate_->is_timely(std::time(nullptr));
        if (timely) request.certificate = certificate_->certificate;
        request.certificate_error = certificate_->error;
        if (!timely && request.certificate_error.empty())
            request.certificate_error = "the certificate has expired since the connection was made";
    }
    enter(Phase::kAnswering);
    carrier_.shared().requests.fetch_add(1, std::memory_order_relaxed);
    const auto outbox = std::make_shared<Outbox>(carrier_.inbox(), *this);
    outbox_ = outbox;
    outbox->flow = flow_;
    outbox->user = user_;
    carrier_.shared().service.serve(make_exchange(outbox, std::move(request)));
    flow_ = outbox->flow;
    if (user_ != outbox->user) {
        user_ = outbox->user;
        held_.move_to(carrier_.shared().budget->account_of(user_));
    }
    deliver(*outbox);
}

// The service wants the body, now or after it has looked at the head elsewhere.
void HttpConnection::want_body(Work arrived) {
    body_arrived_ = std::move(arrived);
    if (!reader_ || reader_->state() == RequestReader::State::kDone) return on_body();
    reader_->read_body();
    enter(Phase::kBody);
    if (reader_->expects_continue()) say("HTTP/1.1 100 Continue\r\n\r\n");
    if (consuming_) return;  // the consuming caller continues
    if (!kept_.empty()) consume_kept();
    if (read_paused_ && phase_ != Phase::kClosed) carrier_.read_in_turn(id_, flow_);
}

void HttpConnection::on_body() {
    enter(Phase::kAnswering);
    const std::shared_ptr<Outbox> outbox = outbox_;
    if (reader_) {
        body_bytes_ = reader_->body_bytes();
        outbox->put_body(reader_->take_body());
        reader_.reset();
    }
    Work arrived = std::move(body_arrived_);
    arrived();
}

// An answer that has not waited for the request's body: what is left of the body is skipped, or the connection ends.
void HttpConnection::leave_body() {
    constexpr std::size_t kSkippedMax = 256u << 10;
    if (!reader_) return;
    if (reader_->state() == RequestReader::State::kDone) return reader_.reset();
    if (reader_->skip_body(kSkippedMax)) return;
    reader_.reset();
    terms_.keeps_alive = false;
}

void HttpConnection::refuse(int status, std::string_view message) {
    reader_.reset();
    lose_exchange();
    terms_ = {.keeps_alive = false};
    start_answer(HttpAnswer::whole(terms_, refusal(status, message), carrier_.date(), carrier_.limits()));
}

// Answering.

void HttpConnection::deliver(Outbox& outbox) {
    Outbox::Taken taken = outbox.take(answer_ ? answer_->take_room() : std::vector<SharedBytes>());
    if (taken.gone) taken.gone();
    if (phase_ == Phase::kClosed || outbox_.get() != &outbox) return;
    if (taken.cut) {
        outbox_->connection = nullptr;
        outbox_.reset();
        return close();
    }
    if (taken.wants_body) return want_body(std::move(taken.wants_body));
    if (taken.response && taken.received && reader_ && reader_->state() != RequestReader::State::kDone)
        return refuse(400, "a request for another protocol has no body");
    if (taken.response) leave_body();
    if (taken.made) return start_answer(*std::move(taken.made));
    if (taken.response && taken.response->is_long && !taken.is_stream) return make_long(*std::move(taken.response));
    if (taken.response && !taken.is_stream)
        return start_answer(HttpAnswer::whole(terms_, *std::move(taken.response), carrier_.date(), carrier_.limits()));
    if (taken.received) start_tunnel(*std::exchange(taken.response, {}), std::move(taken.received));
    if (taken.response) {
        // The head's own body is the first chunk.
        std::vector<SharedBytes> first(1);
        if (auto* text = std::get_if<0>(&taken.response->body))
            first[0] = std::make_shared<std::string>(std::move(*text));
        if (auto* shared = std::get_if<1>(&taken.response->body)) first[0] = std::move(*shared);
        if (auto* make = std::get_if<2>(&taken.response->body)) first[0] = std::make_shared<std::string>((*make)());
        answer_ = std::make_unique<HttpAnswer>(HttpAnswer::stream(terms_, *std::move(taken.response), carrier_.date()));
        if (first[0] && !first[0]->empty()) {
            outbox.count_unsent(first[0]->size());
            answer_->add(std::move(first));
        }
    }
    if (!answer_) return;
    answer_->add(std::move(taken.chunks));
    if (taken.finished) answer_->finish();
    if (carrier_.draining() && !taken.finished) return drain();
    pump();
    if (received_ && read_paused_ && phase_ != Phase::kClosed && may_read()) carrier_.read_in_turn(id_, flow_);
}

// What the peer has sent already was meant for it.
void HttpConnection::start_tunnel(HttpResponse head, HttpExchange::OnReceived received) {
    answer_ = std::make_unique<HttpAnswer>(HttpAnswer::upgrade(std::move(head), carrier_.date()));
    received_ = std::move(received);
    if (!kept_.empty() && !consuming_) give_received(std::exchange(kept_, {}));
}

// The worker ends after all connections; the outbox knows when this one has gone.
void HttpConnection::make_long(HttpResponse response) {
    carrier_.shared().long_answers.run([outbox = outbox_, terms = terms_, response = std::move(response),
                                        date = std::string(carrier_.date()), &limits = carrier_.limits()]() mutable {
        outbox->give(HttpAnswer::whole(terms, std::move(response), date, limits));
    });
}

void HttpConnection::start_answer(HttpAnswer answer) {
    answer_ = std::make_unique<HttpAnswer>(std::move(answer));
    body_bytes_ = 0;
    // An answer that is too much is thrown away; that it was is always told.
    if (!recount(HeldBytes::Rule::kOneBeyondTheUsers))
        *answer_ = HttpAnswer::whole(terms_, refusal(429, kTooManyBytes), carrier_.date(), carrier_.limits());
    enter(Phase::kSending);
    pump();
}

void HttpConnection::pump() {
    constexpr std::size_t kGatherMax = 64u << 10;
    constexpr std::size_t kTurnMax = 128u << 10;
    if (std::exchange(pumping_, true)) return;
    std::size_t sent = 0;
    while (phase_ != Phase::kClosed && answer_ && unsent_.empty()) {
        carrier_.out.clear();
        while (carrier_.out.size() < kGatherMax) {
            const HttpAnswer::Slice slice = answer_->next(carrier_.scratch);
            if (slice.bytes.empty()) break;
            counted_in_flight_ += slice.chunk_bytes;
            tls_ ? tls_->write(slice.bytes, carrier_.out) : void(carrier_.out += slice.bytes);
        }
        if (carrier_.out.empty()) break;
        sent += carrier_.out.size();
        send_out();
        if (sent >= kTurnMax && unsent_.empty()) {
            carrier_.send_in_turn(id_, flow_);
            break;
        }
    }
    pumping_ = false;
    if (phase_ != Phase::kClosed && answer_ && unsent_.empty() && answer_->complete()) answer_done();
}

void HttpConnection::answer_done() {
    const bool closes = answer_->closes() || !terms_.keeps_alive;
    answer_.reset();
    body_bytes_ = 0;
    recount();
    received_ = nullptr;
    if (outbox_) {
        outbox_->connection = nullptr;
        outbox_->complete();
        outbox_.reset();
    }
    if (closes || carrier_.draining()) return linger();
    enter(reader_ ? Phase::kSkipping : Phase::kIdle);
    if (consuming_) return;  // the consuming caller continues
    if (!kept_.empty()) consume_kept();
    if (read_paused_ && phase_ != Phase::kClosed) carrier_.read_in_turn(id_, flow_);
}

void HttpConnection::say(std::string_view plaintext) {
    carrier_.out.clear();
    tls_ ? tls_->write(plaintext, carrier_.out) : void(carrier_.out += plaintext);
    send_out();
}

// Sends carrier_.out, behind what waits already; keeps what the socket does not take.
void HttpConnection::send_out() {
    if (!unsent_.empty()) {
        unsent_ += carrier_.out;
        return;
    }
    std::string_view bytes = carrier_.out;
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && would_block(errno)) break;
        if (count < 0) return close();
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    if (bytes.empty() && counted_in_flight_ > 0 && outbox_) {
        outbox_->count_sent(counted_in_flight_);
        counted_in_flight_ = 0;
    }
    unsent_.assign(bytes);
    unsent_at_ = 0;
    if (!unsent_.empty()) unsent_held_.resize(unsent_.size(), HeldBytes::Rule::kAlways);
}

void HttpConnection::flush_unsent() {
    bool moved = false;
    while (unsent_at_ < unsent_.size()) {
        const ssize_t count =
            ::send(socket_.number(), unsent_.data() + unsent_at_, unsent_.size() - unsent_at_, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && would_block(errno)) break;
        if (count < 0) return close();
        unsent_at_ += static_cast<std::size_t>(count);
        moved = true;
    }
    if (moved && phase_ == Phase::kSending) enter(Phase::kSending);  // a new deadline
    if (unsent_at_ < unsent_.size()) return;
    let_go(unsent_);
    unsent_at_ = 0;
    unsent_held_.resize(0);
    if (outbox_) outbox_->count_sent(counted_in_flight_);
    counted_in_flight_ = 0;
    if (phase_ == Phase::kLingering) return linger();
    pump();
}

// Says that nothing more comes, and waits for the peer to say the same: closing with its bytes unread would reset the
// connection and could destroy our last answer on its way.
void HttpConnection::linger() {
    if (phase_ == Phase::kClosed) return;
    if (phase_ != Phase::kLingering) {
        enter(Phase::kLingering);
        if (tls_ && tls_->established()) {
            carrier_.out.clear();
            tls_->end(carrier_.out);
            send_out();
        }
    }
    if (phase_ == Phase::kClosed || !unsent_.empty() || std::exchange(shut_, true)) return;
    ::shutdown(socket_.number(), SHUT_WR);
    if (peer_ended_) close();
}

}  // namespace muster::os
