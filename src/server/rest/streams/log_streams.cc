#include "server/rest/streams/log_streams.h"

#include <algorithm>

#include "os/loop/guard.h"
#include "server/rest/answer.h"
#include "server/rest/streams/websocket_stream.h"

namespace muster::server {

class LogStreams::Session {
public:
    Session(LogStreams& owner, SessionSet<Session>::Id id, std::unique_ptr<client::LogStream> source,
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
        owner_.sessions_.forget_soon(id_);
    }

    // Before the first byte the client is told; later the log is cut.
    void on_failure() {
        if (!stream_) exchange_->respond(http_response(answer_error({Code::kInternal, "the log cannot be read"})));
        owner_.sessions_.forget_soon(id_);
    }

    std::unique_ptr<os::HttpStream> answer() {
        if (upgrade_) {
            const auto form = is_base64(upgrade_->protocol) ? MessageForm::kPiecesBase64 : MessageForm::kPieces;
            return stream_messages(owner_.loop_, *exchange_, *std::move(upgrade_), form,
                                   owner_.sessions_.forgetting(id_), owner_.budget_);
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
    const SessionSet<Session>::Id id_;
    std::unique_ptr<client::LogStream> source_;
    std::unique_ptr<os::HttpExchange> exchange_;
    std::optional<Upgrade> upgrade_;
    std::unique_ptr<os::HttpStream> stream_;
    os::TaskScope tasks_;  // last: its coroutine uses all of the above
};

LogStreams::LogStreams(os::Loop& loop, LogStreamLimits limits, std::shared_ptr<os::ByteBudget> budget)
    : loop_(loop), limits_(limits), budget_(std::move(budget)), sessions_(loop, "a log") {}

LogStreams::~LogStreams() = default;

void LogStreams::start(std::unique_ptr<client::LogStream> source, std::unique_ptr<os::HttpExchange> exchange,
                       std::optional<Upgrade> upgrade) {
    const Result<> room =
        sessions_.check_room(limits_.streams_max, "too many logs are being read, please try again later");
    if (!room.ok()) return exchange->respond(http_response(answer_error(room.error())));
    const auto id = sessions_.take_id();
    exchange->when_gone(sessions_.forgetting_on_loop(id));
    sessions_.add(id, std::make_unique<Session>(*this, id, std::move(source), std::move(exchange), std::move(upgrade)));
}

}  // namespace muster::server
