#include "cli/connection/http_connection.h"

#include "os/http/client/http_client.h"
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

os::Task<Result<Response>> read_lines(os::HttpClient& client, os::HttpClientRequest request, const OnLine& on_line) {
    CO_TRY_ASSIGN(const std::unique_ptr<os::HttpIncoming> incoming, co_await client.open(std::move(request)));
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
os::Task<void> read_one(os::HttpClient& client, LineStreams::Each each, std::size_t& running, os::Event& changed) {
    Result<Response> response = co_await read_lines(client, to_http(each.request), each.on_line);
    each.on_end(response);
    --running;
    changed.notify();
}

os::Task<void> read_all(os::Loop& loop, os::HttpClient& client, LineStreams& streams) {
    os::Event changed(loop);
    os::TaskScope scope(loop);
    std::size_t running = 0;
    streams.on_change = [&changed] { changed.notify(); };
    for (;;) {
        for (LineStreams::Each& each : streams.take()) {
            ++running;
            scope.spawn(read_one(client, std::move(each), running, changed));
        }
        if (running == 0 || streams.stopped()) break;
        co_await changed.wait();
    }
    streams.on_change = nullptr;
}

class HttpConnection final : public Connection {
public:
    HttpConnection() : network_(loop_), worker_("names") {}

    Result<void> open(os::HttpClientSettings settings) {
        TRY_ASSIGN(client_, os::make_http_client(loop_, network_, worker_, std::move(settings)));
        return {};
    }

    Result<Response> send(const Request& request) override {
        TRY_ASSIGN(os::HttpWholeAnswer answer, loop_.run(client_->send(to_http(request))));
        return to_response(answer.head, std::move(answer.body));
    }

    Result<Response> stream(const Request& request, const OnLine& on_line) override {
        return loop_.run(read_lines(*client_, to_http(request), on_line));
    }

    void run_streams(LineStreams& streams) override { loop_.run(read_all(loop_, *client_, streams)); }

private:
    os::RealLoop loop_;
    os::LinuxNetwork network_;
    os::ThreadWorker worker_;
    std::unique_ptr<os::HttpClient> client_;
};

}  // namespace

Result<std::unique_ptr<Connection>> connect_http(const ServerAccess& access) {
    os::HttpClientSettings settings;
    TRY_ASSIGN(settings.origin, os::parse_origin(access.server));
    settings.tls.server_authorities = access.ca_certificates;
    settings.tls.verify_server = !access.insecure;
    if (!access.client_certificate.empty())
        settings.tls.identity = os::TlsIdentity{access.client_certificate, access.client_key};
    settings.server_name = access.tls_server_name;
    settings.bearer_token = access.token;
    auto connection = std::make_unique<HttpConnection>();
    TRY(connection->open(std::move(settings)));
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
