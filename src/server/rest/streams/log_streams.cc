#include "server/rest/streams/log_streams.h"

#include <algorithm>

#include "os/loop/guard.h"
#include "server/rest/answer.h"
#include "server/rest/streams/websocket_stream.h"

namespace muster::server {

class LogStreams::Session {
public:
    Session(LogStreams& owner, std::uint64_t id, std::unique_ptr<LogSource> source,
            std::unique_ptr<os::HttpExchange> exchange, std::optional<Upgrade> upgrade)
        : owner_(owner),
          id_(id),
          source_(std::move(source)),
          exchange_(std::move(exchange)),
          upgrade_(std::move(upgrade)),
          tasks_(owner.loop_) {
        tasks_.spawn(os::apart(run(), "a log", [this] { on_failure(); }));
    }

private:
    os::Task<void> run() {
        co_await send();
        // Not from within.
        owner_.loop_.post(forgetting());
    }

    // Before the first byte the client is told; later the log is cut.
    void on_failure() {
        if (!stream_) exchange_->respond(http_response(answer_error({Code::kInternal, "the log cannot be read"})));
        owner_.loop_.post(forgetting());
    }

    os::Work forgetting() const {
        return [self = owner_.self_, id = id_] {
            if (*self) (*self)->forget(id);
        };
    }

    std::unique_ptr<os::HttpStream> answer() {
        if (upgrade_) {
            const auto form = is_base64(upgrade_->protocol) ? MessageForm::kPiecesBase64 : MessageForm::kPieces;
            return stream_messages(owner_.loop_, *exchange_, *std::move(upgrade_), form, forgetting(), owner_.budget_);
        }
        os::HttpResponse head;
        head.headers.push_back({"Content-Type", "text/plain"});
        head.headers.push_back({"Cache-Control", "no-cache, private"});
        return exchange_->stream(std::move(head));
    }

    os::Task<void> send() {
        Result<> opened;
        if (source_) opened = co_await source_->open();
        if (!opened.ok()) {
            exchange_->respond(http_response(answer_error(opened.error())));
            co_return;
        }
        stream_ = answer();
        while (source_) {
            Result<std::optional<std::string>> part = co_await source_->next();
            // Cut: what was sent is not the whole log.
            if (!part.ok()) co_return;
            if (!*part) break;
            stream_->write(owner_.budget_->share(*std::move(*part)));
            co_await let_client_take();
        }
        stream_->finish();
    }

    os::Task<void> let_client_take() {
        constexpr Duration kFirst = 1ms;
        constexpr Duration kMax = 200ms;
        for (Duration wait = kFirst; owner_.budget_->is_behind(stream_->unsent(), owner_.limits_.unsent_bytes_max);
             wait = std::min(2 * wait, kMax))
            co_await os::sleep_for(owner_.loop_, wait);
    }

    LogStreams& owner_;
    const std::uint64_t id_;
    std::unique_ptr<LogSource> source_;
    std::unique_ptr<os::HttpExchange> exchange_;
    std::optional<Upgrade> upgrade_;
    std::unique_ptr<os::HttpStream> stream_;
    os::TaskScope tasks_;  // last: its coroutine uses all of the above
};

LogStreams::LogStreams(os::Loop& loop, LogStreamLimits limits, std::shared_ptr<os::ByteBudget> budget)
    : loop_(loop), limits_(limits), budget_(std::move(budget)), self_(std::make_shared<LogStreams*>(this)) {}

LogStreams::~LogStreams() { *self_ = nullptr; }

void LogStreams::forget(std::uint64_t id) { sessions_.erase(id); }

void LogStreams::start(std::unique_ptr<LogSource> source, std::unique_ptr<os::HttpExchange> exchange,
                       std::optional<Upgrade> upgrade) {
    if (sessions_.size() >= limits_.streams_max) {
        Error error{Code::kTooManyRequests, "too many logs are being read, please try again later"};
        error.retry_after_seconds = 1;
        exchange->respond(http_response(answer_error(error)));
        return;
    }
    const std::uint64_t id = ++last_id_;
    exchange->when_gone([&loop = loop_, self = self_, id] {
        loop.post([self, id] {
            if (*self) (*self)->forget(id);
        });
    });
    sessions_.emplace(id,
                      std::make_unique<Session>(*this, id, std::move(source), std::move(exchange), std::move(upgrade)));
}

}  // namespace muster::server
