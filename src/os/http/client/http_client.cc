#include "os/http/client/http_client.h"

#include <algorithm>
#include <list>

#include "os/http/client/http_client_connection.h"
#include "os/http/client/http_connector.h"
#include "os/http/client/http_response_reader.h"
#include "os/http/http_gzip.h"

namespace muster::os {
namespace {

using Connection = std::unique_ptr<ClientConnection>;
using Piece = std::optional<std::string>;

// Idle connections. Each is being read from, so that a connection which the server closes is not used again.
class Pool {
public:
    Pool(Loop& loop, std::size_t kept_max, Duration keep_timeout)
        : loop_(loop), kept_max_(kept_max), keep_timeout_(keep_timeout) {}

    // The one used last, or null.
    Connection take() {
        forget_dead();
        if (kept_.empty()) return nullptr;
        Connection taken = kept_.back().release();
        kept_.pop_back();
        return taken;
    }
    void keep(Connection connection) {
        forget_dead();
        if (kept_max_ == 0) return;
        if (kept_.size() >= kept_max_) kept_.pop_front();
        kept_.emplace_back(loop_, std::move(connection), loop_.uptime() + keep_timeout_);
    }

private:
    class Kept {
    public:
        Kept(Loop& loop, Connection connection, Duration until)
            : connection_(std::move(connection)), until_(until), reading_(loop) {
            reading_.spawn(await_end(*this));
        }
        bool dead(Duration now) const { return ended_ || until_ <= now; }
        Connection release() {
            reading_.cancel();
            return std::move(connection_);
        }

    private:
        // Whatever comes unasked is a reason not to use it again; so is the end.
        static Task<void> await_end(Kept& kept) {
            char byte;
            (void)co_await kept.connection_->read({&byte, 1});
            kept.ended_ = true;
        }

        Connection connection_;
        const Duration until_;
        bool ended_ = false;
        TaskScope reading_;  // last: it ends first
    };

    void forget_dead() {
        kept_.remove_if([now = loop_.uptime()](const Kept& kept) { return kept.dead(now); });
    }

    Loop& loop_;
    const std::size_t kept_max_;
    const Duration keep_timeout_;
    std::list<Kept> kept_;
};

bool has_header(const HttpClientRequest& request, std::string_view lower_name) {
    return std::any_of(request.headers.begin(), request.headers.end(), [&](const HttpHeader& header) {
        return header.name.size() == lower_name.size() &&
               std::equal(lower_name.begin(), lower_name.end(), header.name.begin(), [](char lower, char c) {
                   return lower == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
               });
    });
}

bool is_line(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// kBadRequest when something in it would break out of its line.
Result<std::string> format_request(const HttpClientSettings& settings, const HttpClientRequest& request) {
    const bool target_good = is_line(request.target) && request.target.find(' ') == std::string::npos;
    if (!target_good || !is_line(request.method) || !is_line(settings.bearer_token))
        return Error{Code::kBadRequest, "a request target or token has a space or a line end in it"};
    // A proxy that is no tunnel has to be told where the request goes.
    const bool through_proxy = settings.proxy && !settings.origin.tls;
    const std::string place = through_proxy ? "http://" + host_and_port(settings.origin) : "";
    std::string out = request.method + " " + place + settings.origin.prefix + request.target + " HTTP/1.1\r\n";
    const auto add = [&](std::string_view name, std::string_view value) {
        out.append(name).append(": ").append(value).append("\r\n");
    };
    if (!has_header(request, "host")) add("Host", host_and_port(settings.origin));
    if (!has_header(request, "user-agent")) add("User-Agent", settings.user_agent);
    if (!settings.bearer_token.empty() && !has_header(request, "authorization"))
        add("Authorization", "Bearer " + settings.bearer_token);
    if (through_proxy && !settings.proxy->authorization.empty())
        add("Proxy-Authorization", settings.proxy->authorization);
    for (const HttpHeader& header : request.headers) {
        if (!is_line(header.name) || !is_line(header.value))
            return Error{Code::kBadRequest, "the header " + header.name + " has a line end in it"};
        add(header.name, header.value);
    }
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH")
        add("Content-Length", std::to_string(request.body.size()));
    out += "\r\n";
    out += request.body;
    return out;
}

// A body as it was before the server compressed it.
class DecodedBody {
public:
    // kBadRequest when the head names an encoding that was not asked for.
    static Result<DecodedBody> of(const HttpAnswerHead& head, const HttpClientSettings& settings) {
        DecodedBody out(settings.body_bytes_max);
        const std::string_view encoding = head.header("content-encoding");
        if (!settings.accepts_gzip || encoding.empty() || encoding == "identity") return out;
        if (encoding != "gzip")
            return Error{Code::kBadRequest, "it has the encoding " + std::string(encoding) + ", not gzip"};
        out.gunzip_ = std::make_unique<Gunzip>();
        return out;
    }
    Result<> add(std::string_view bytes) {
        // What is compressed must not go on for ever either.
        received_ += bytes.size();
        if (received_ > bytes_max_) return Error{Code::kTooLarge, "it is too large"};
        if (gunzip_) return gunzip_->decode(bytes, body_, bytes_max_);
        body_ += bytes;
        return {};
    }
    // kUnavailable when there must have been more.
    Result<std::string> take(HttpAnswerHead& head) {
        if (gunzip_ && !gunzip_->complete())
            return Error{Code::kUnavailable, "it broke off in the middle of its gzip stream"};
        if (gunzip_)
            std::erase_if(head.headers, [](const HttpHeader& header) {
                return header.name == "content-encoding" || header.name == "content-length";
            });
        return std::move(body_);
    }

private:
    explicit DecodedBody(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    std::size_t bytes_max_;
    std::size_t received_ = 0;
    std::string body_;
    std::unique_ptr<Gunzip> gunzip_;  // null: nothing is compressed
};

class Incoming final : public HttpIncoming {
public:
    struct Limits {
        std::optional<Duration> silence;  // between two reads
        std::size_t line_bytes_max;
    };
    Incoming(Loop& loop, std::shared_ptr<Pool> pool, Connection connection, bool to_head, std::string server,
             Limits limits)
        : loop_(loop),
          pool_(std::move(pool)),
          connection_(std::move(connection)),
          reader_(to_head),
          server_(std::move(server)),
          limits_(limits) {}

    const HttpAnswerHead& head() const override { return head_; }
    // Some byte of the answer has arrived.
    bool begun() const { return begun_; }
    void limit_silence(std::optional<Duration> silence) { limits_.silence = silence; }

    Task<Result<>> read_head() {
        while (!reader_.head_done()) {
            CO_TRY_ASSIGN(const bool more, co_await read_more());
            if (!more && !reader_.head_done()) co_return ended_early();
        }
        head_ = std::move(reader_.head());
        co_return Result<>();
    }

    Task<Result<Piece>> next() override {
        for (;;) {
            std::string body = reader_.take_body();
            if (!body.empty()) co_return Piece(std::move(body));
            if (reader_.done()) {
                give_back();
                co_return Piece();
            }
            CO_TRY(co_await read_more());
        }
    }

    Task<Result<Piece>> next_line() override {
        std::size_t searched = 0;
        for (;;) {
            const std::size_t end = line_.find('\n', searched);
            if (end != std::string::npos) {
                std::string line = line_.substr(0, end);
                line_.erase(0, end + 1);
                co_return Piece(std::move(line));
            }
            searched = line_.size();
            if (line_.size() > limits_.line_bytes_max)
                co_return Error{Code::kTooLarge, server_ + " sent a line of more than " +
                                                     std::to_string(limits_.line_bytes_max) + " bytes"};
            CO_TRY_ASSIGN(Piece more, co_await next());
            if (!more && line_.empty()) co_return Piece();
            if (!more) co_return Piece(std::exchange(line_, {}));
            line_ += *more;
        }
    }

private:
    Error ended_early() const { return {Code::kUnavailable, server_ + " closed the connection without an answer"}; }

    // False when the connection has ended, which then was the body's end.
    Task<Result<bool>> read_more() {
        if (!connection_) co_return ended_early();
        std::array<char, 16u << 10> buffer;
        const ConnectionDeadline deadline(loop_, *connection_, limits_.silence);
        const Result<std::size_t> count = co_await connection_->read(buffer);
        if (deadline.expired()) co_return Error{Code::kTimeout, server_ + " did not answer in time"};
        if (!count) co_return Error{count.error().code, server_ + ": " + count.error().message};
        begun_ = begun_ || *count > 0;
        if (*count == 0) {
            const Result<> ended = reader_.end();
            if (!ended)
                co_return begun_ ? Error{Code::kUnavailable, server_ + ": " + ended.error().message} : ended_early();
            co_return false;
        }
        kept_.append(buffer.data(), *count);
        const Result<std::size_t> used = reader_.consume(kept_);
        if (!used) co_return Error{used.error().code, server_ + ": " + used.error().message};
        kept_.erase(0, *used);
        co_return true;
    }

    void give_back() {
        if (connection_ && kept_.empty() && reader_.keeps_alive()) pool_->keep(std::move(connection_));
        connection_.reset();
    }

    Loop& loop_;
    std::shared_ptr<Pool> pool_;
    Connection connection_;
    ResponseReader reader_;
    const std::string server_;
    Limits limits_;
    HttpAnswerHead head_;
    std::string kept_;  // received and not used
    std::string line_;  // a line's beginning
    bool begun_ = false;
};

class LoopHttpClient final : public HttpClient {
public:
    LoopHttpClient(Loop& loop, Network& network, Worker& worker, HttpClientSettings settings, TlsContexts tls)
        : loop_(loop),
          settings_(std::move(settings)),
          server_(host_and_port(settings_.origin)),
          connector_(loop, network, worker, settings_, std::move(tls)),
          pool_(std::make_shared<Pool>(loop, settings_.kept_max, settings_.keep_timeout)) {}

    Task<Result<HttpWholeAnswer>> send(HttpClientRequest request) override {
        if (settings_.accepts_gzip && request.method == "GET" && !has_header(request, "accept-encoding"))
            request.headers.push_back({"Accept-Encoding", "gzip"});
        CO_TRY_ASSIGN(std::unique_ptr<Incoming> incoming, co_await ask(std::move(request)));
        HttpWholeAnswer answer;
        answer.head = incoming->head();
        Result<DecodedBody> body = DecodedBody::of(answer.head, settings_);
        if (!body.ok()) co_return bad_answer(body.error());
        for (;;) {
            CO_TRY_ASSIGN(const Piece piece, co_await incoming->next());
            if (!piece) break;
            const Result<> added = body->add(*piece);
            if (!added.ok()) co_return bad_answer(added.error());
        }
        Result<std::string> taken = body->take(answer.head);
        if (!taken.ok()) co_return bad_answer(taken.error());
        answer.body = *std::move(taken);
        co_return answer;
    }

    Task<Result<std::unique_ptr<HttpIncoming>>> open(HttpClientRequest request) override {
        const std::optional<Duration> silence_max = request.silence_max;
        CO_TRY_ASSIGN(std::unique_ptr<Incoming> incoming, co_await ask(std::move(request)));
        incoming->limit_silence(silence_max);
        co_return std::unique_ptr<HttpIncoming>(std::move(incoming));
    }

private:
    Error bad_answer(const Error& error) const {
        return {error.code, "the answer of " + server_ + " cannot be used: " + error.message};
    }

    // Sends the request and reads the answer's head. A kept connection may have ended just now: then once more on a new
    // one, if the request can have changed nothing.
    Task<Result<std::unique_ptr<Incoming>>> ask(HttpClientRequest request) {
        CO_TRY_ASSIGN(const std::string bytes, format_request(settings_, request));
        const bool harmless = request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS";
        Incoming::Limits limits{.silence = request.answer_timeout.value_or(settings_.answer_timeout),
                                .line_bytes_max = settings_.line_bytes_max};
        for (;;) {
            Connection connection = pool_->take();
            const bool kept = connection != nullptr;
            if (!kept) {
                CO_TRY_ASSIGN(connection, co_await connector_.connect());
            }
            if (const Result<> checked = request.check ? request.check() : Result<>(); !checked.ok()) {
                pool_->keep(std::move(connection));
                co_return checked.error();
            }
            const Result<> sent = co_await write_within(*connection, bytes, *limits.silence);
            auto incoming = std::make_unique<Incoming>(loop_, pool_, std::move(connection), request.method == "HEAD",
                                                       server_, limits);
            // A server that refuses a request may answer and close before it has read it all.
            const Result<> answered = co_await incoming->read_head();
            if (answered) co_return incoming;
            const bool timed_out = answered.error().code == Code::kTimeout;
            if (kept && harmless && !incoming->begun() && !timed_out) continue;
            if (!sent && !incoming->begun()) co_return Error{sent.error().code, server_ + ": " + sent.error().message};
            co_return Error(answered.error());
        }
    }

    Task<Result<>> write_within(ClientConnection& connection, std::string_view bytes, Duration limit) {
        const ConnectionDeadline deadline(loop_, connection, limit);
        Result<> written = co_await connection.write(bytes);
        if (deadline.expired()) co_return Error{Code::kTimeout, "it did not take the request in time"};
        co_return written;
    }

    Loop& loop_;
    const HttpClientSettings settings_;
    const std::string server_;
    Connector connector_;
    std::shared_ptr<Pool> pool_;
};

}  // namespace

std::string_view HttpAnswerHead::header(std::string_view name) const {
    for (const HttpHeader& header : headers)
        if (header.name == name) return header.value;
    return {};
}

Result<std::unique_ptr<HttpClient>> make_http_client(Loop& loop, Network& network, Worker& worker,
                                                     HttpClientSettings settings) {
    TlsContexts tls;
    if (settings.origin.tls) {
        TRY_ASSIGN(tls.server, make_client_context(settings.tls));
    }
    if (settings.proxy && settings.proxy->origin.tls) {
        TRY_ASSIGN(tls.proxy, make_client_context(settings.proxy_tls));
    }
    return std::unique_ptr<HttpClient>(
        std::make_unique<LoopHttpClient>(loop, network, worker, std::move(settings), std::move(tls)));
}

}  // namespace muster::os
