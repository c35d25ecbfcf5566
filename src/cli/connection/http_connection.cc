#include "cli/connection/http_connection.h"

#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/network/linux_network.h"

namespace muster::cli {
namespace {

os::HttpClientRequest to_http(const Request& request) {
    os::HttpClientRequest out(request.method, request.target);
    out.headers.push_back({"Accept", request.accept});
    if (!request.content_type.empty()) out.headers.push_back({"Content-Type", request.content_type});
    out.body = request.body;
    out.answer_timeout = request.answer_timeout;
    return out;
}

Response to_response(const os::HttpAnswerHead& head, std::string body) {
    Response out{
        .status = head.status, .content_type = std::string(head.header("content-type")), .body = std::move(body)};
    for (const os::HttpHeader& header : head.headers)
        if (header.name == "warning") out.warnings.push_back(warning_text(header.value));
    return out;
}

using OnLine = std::function<bool(std::string_view)>;

// The rest of an answer that is not a stream.
os::Task<Result<std::string>> read_whole(os::HttpIncoming& incoming) {
    std::string body;
    while (true) {
        CO_TRY_ASSIGN(const std::optional<std::string> piece, co_await incoming.next());
        if (!piece) co_return body;
        body += *piece;
    }
}

os::Task<Result<Response>> read_lines(client::Transport& transport, os::HttpClientRequest request,
                                      const OnLine& on_line) {
    CO_TRY_ASSIGN(const std::unique_ptr<os::HttpIncoming> incoming, co_await transport.open(std::move(request)));
    if (incoming->head().status != 200) {
        CO_TRY_ASSIGN(std::string body, co_await read_whole(*incoming));
        co_return to_response(incoming->head(), std::move(body));
    }
    while (true) {
        CO_TRY_ASSIGN(const std::optional<std::string> line, co_await incoming->next_line());
        if (!line || !on_line(*line)) co_return to_response(incoming->head(), "");
    }
}

// One of many; it is cancelled with its scope.
os::Task<void> read_one(client::Transport& transport, LineStreams::Each each, std::size_t& running,
                        os::Event& changed) {
    Result<Response> response = co_await read_lines(transport, to_http(each.request), each.on_line);
    each.on_end(response);
    --running;
    changed.notify();
}

os::Task<void> read_all(os::Loop& loop, client::Transport& transport, LineStreams& streams) {
    os::Event changed(loop);
    os::TaskScope scope(loop);
    std::size_t running = 0;
    streams.on_change = [&changed] { changed.notify(); };
    for (;;) {
        for (LineStreams::Each& each : streams.take()) {
            ++running;
            scope.spawn(read_one(transport, std::move(each), running, changed));
        }
        if (running == 0 || streams.stopped()) break;
        co_await changed.wait();
    }
    streams.on_change = nullptr;
}

class HttpConnection final : public Connection {
public:
    HttpConnection() : network_(loop_), worker_("names") {}

    Result<void> open(const client::ServerAccess& access, client::TransportSettings settings) {
        TRY_ASSIGN(transport_, client::Transport::make(loop_, network_, worker_, access, std::move(settings)));
        return {};
    }

    Result<Response> send(const Request& request) override {
        TRY_ASSIGN(os::HttpWholeAnswer answer,
                   loop_.run(transport_->send(to_http(request), client::RequestClass::kStatus)));
        return to_response(answer.head, std::move(answer.body));
    }

    Result<Response> stream(const Request& request, const OnLine& on_line) override {
        return loop_.run(read_lines(*transport_, to_http(request), on_line));
    }

    void run_streams(LineStreams& streams) override { loop_.run(read_all(loop_, *transport_, streams)); }

private:
    os::RealLoop loop_;
    os::LinuxNetwork network_;
    os::ThreadWorker worker_;
    std::unique_ptr<client::Transport> transport_;
};

}  // namespace

Result<std::unique_ptr<Connection>> connect_http(const client::ServerAccess& access,
                                                 client::TransportSettings settings) {
    auto connection = std::make_unique<HttpConnection>();
    TRY(connection->open(access, std::move(settings)));
    return std::unique_ptr<Connection>(std::move(connection));
}

std::string warning_text(std::string_view header) {
    const std::size_t open = header.find('"');
    if (open == std::string_view::npos) return std::string(header);
    std::string out;
    for (std::size_t i = open + 1; i < header.size() && header[i] != '"'; ++i) {
        if (header[i] == '\\' && i + 1 < header.size()) ++i;
        out += header[i];
    }
    return out;
}

}  // namespace muster::cli
