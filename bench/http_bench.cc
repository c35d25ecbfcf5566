// The HTTP server over TLS: small answers to 64 clients beside nginx serving a file of the same size, watches that all
// receive the same events, and what an idle watch holds in memory. Servers run in processes of their own, so that their
// CPU time is theirs alone.
//     http_bench [--seconds S] [get|stream|idle]…
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "bench/http_load.h"
#include "bench/nginx.h"
#include "bench/served.h"
#include "os/http/http_limits.h"
#include "os/http/server/http_server.h"
#include "os/loop/thread_worker.h"
#include "os/testing/tls_certificates.h"

namespace muster::bench {
namespace {

using namespace os;

constexpr std::size_t kBodyBytes = 2048;
constexpr int kClients = 64;

struct Setting {
    double seconds = 3;
    TestAuthority authority{"bench-ca"};
    TlsIdentity identity = authority.sign_server();
    TlsIdentity user = authority.sign_client("bench", {"bench"});

    // nginx asks for no certificate, so that none is shown where the two are compared.
    TlsContext client_context(bool with_certificate) const {
        TlsClientSettings settings;
        settings.server_authorities = authority.certificate();
        if (with_certificate) settings.identity = user;
        return make_client_context(settings).value();
    }
    HttpServerOptions server_options() const {
        HttpServerOptions options;
        options.tls = TlsServerSettings{.identity = identity, .client_authorities = authority.certificate()};
        return options;
    }
};

class FixedService final : public HttpService {
public:
    explicit FixedService(RealLoop* loop) : loop_(loop), body_(std::make_shared<std::string>(kBodyBytes, 'x')) {}
    void serve(std::unique_ptr<HttpExchange> exchange) override {
        if (!loop_) return exchange->respond(response());
        loop_->post([this, held = std::move(exchange)] { held->respond(response()); });
    }

private:
    HttpResponse response() const {
        HttpResponse made;
        made.headers.push_back({"Content-Type", "application/json"});
        made.body = body_;
        return made;
    }
    RealLoop* loop_;
    SharedBytes body_;
};

void serve_fixed(const Setting& setting, bool from_loop, int to) {
    RealLoop loop;
    FixedService service(from_loop ? &loop : nullptr);
    const auto server = start_http_server(setting.server_options(), service).value();
    tell(to, format_address(server->address()) + "\n");
    if (!from_loop) sleep_for_ever();
    loop.run();
}

struct Contender {
    std::string name;
    pid_t pid;
    std::unique_ptr<Load> load;
    std::vector<LoadResult> results{};
};

void bench_get(const Setting& setting) {
    Served direct([&](int to) { serve_fixed(setting, false, to); });
    Served looped([&](int to) { serve_fixed(setting, true, to); });
    const Nginx nginx(setting.identity, std::string(kBodyBytes, 'x'));
    const std::string request = "GET /object.json HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n";
    std::vector<Contender> contenders;
    const auto add = [&](std::string name, pid_t pid, const Address& address, bool with_certificate) {
        contenders.push_back(
            {std::move(name), pid,
             std::make_unique<Load>(address, setting.client_context(with_certificate), kClients, request)});
    };
    add("answered on the carrying thread", direct.pid(), parse_address(direct.line()).value(), false);
    add("answered by the loop", looped.pid(), parse_address(looped.line()).value(), true);
    if (nginx) add("nginx, a file of 2 KB", nginx.pid(), nginx.address(), false);

    // In turns, so that a noisy moment falls on all.
    constexpr int kTurns = 3;
    for (int turn = 0; turn < kTurns; ++turn)
        for (Contender& each : contenders) each.results.push_back(each.load->run(setting.seconds / kTurns, each.pid));
    std::printf("GET of 2 KB over TLS, %d keep-alive clients\n", kClients);
    for (const Contender& each : contenders) {
        const LoadResult result = median(each.results);
        std::printf("  %-34s %8.0f /s  %6.1f us CPU each  p50 %5.0f us  p99 %5.0f us\n", each.name.c_str(),
                    result.requests_per_second, result.cpu_microseconds, result.p50_microseconds,
                    result.p99_microseconds);
    }
    if (!nginx) return void(std::printf("  nginx is not installed: nothing to compare with\n"));
    const double peer = median(contenders.back().results).requests_per_second;
    std::printf("  of nginx: %.2f on the carrying thread, %.2f by the loop\n",
                median(contenders[0].results).requests_per_second / peer,
                median(contenders[1].results).requests_per_second / peer);
}

class StreamService final : public HttpService {
public:
    void serve(std::unique_ptr<HttpExchange> exchange) override {
        auto stream = exchange->stream({});
        std::lock_guard lock(mutex_);
        streams.push_back(std::move(stream));
    }
    std::size_t size() {
        std::lock_guard lock(mutex_);
        return streams.size();
    }
    std::vector<std::unique_ptr<HttpStream>> streams;

private:
    std::mutex mutex_;
};

// Writes one chunk to every stream each millisecond, and looks, from another thread, when the sockets have them.
class StreamPace {
public:
    StreamPace(StreamService& service, double seconds)
        : service_(service), ticks_(static_cast<std::size_t>(seconds * 1000)), at_(ticks_) {}

    std::string run() {
        std::thread looking([this] { look(); });
        const auto start = Clock::now();
        double writing = 0;
        for (std::size_t tick = 0; tick < ticks_; ++tick) {
            std::this_thread::sleep_until(start + tick * 1ms);
            const auto chunk = std::make_shared<const std::string>(kChunk, 'e');
            at_[tick] = Clock::now();
            for (const auto& stream : service_.streams) stream->write(chunk);
            written_.store(tick + 1);
            writing += seconds_since(at_[tick]);
        }
        const double took = seconds_since(start);
        looking.join();
        std::sort(latencies_.begin(), latencies_.end());
        const auto at = [this](double part) {
            return latencies_[static_cast<std::size_t>(part * static_cast<double>(latencies_.size() - 1))] * 1000;
        };
        char text[300];
        std::snprintf(text, sizeof(text),
                      "  %.0f events/s to each; write() %.0f ns; write() to the socket: p50 %.1f ms, p99 %.1f ms, "
                      "worst %.1f ms",
                      static_cast<double>(ticks_) / took,
                      writing * 1e9 / static_cast<double>(ticks_ * service_.streams.size()), at(0.5), at(0.99), at(1));
        return text;
    }

private:
    static constexpr std::size_t kChunk = 400;

    void look() {
        std::vector<std::size_t> seen(service_.streams.size());
        for (bool all = false; !all;) {
            std::this_thread::sleep_for(2ms);  // which it may cost the figure; oftener would cost the server
            all = true;
            const std::size_t written = written_.load();
            const auto now = Clock::now();
            for (std::size_t i = 0; i < seen.size(); ++i) {
                const std::size_t unsent = (service_.streams[i]->unsent() + kChunk - 1) / kChunk;
                const std::size_t sent = written > unsent ? written - unsent : 0;
                for (; seen[i] < sent; ++seen[i])
                    latencies_.push_back(std::chrono::duration<double>(now - at_[seen[i]]).count());
                all = all && seen[i] == ticks_;
            }
        }
    }

    StreamService& service_;
    const std::size_t ticks_;
    std::vector<Clock::time_point> at_;
    std::atomic<std::size_t> written_{0};
    std::vector<double> latencies_;
};

void serve_streams(const Setting& setting, std::size_t count, double seconds, int to) {
    raise_descriptor_limit();
    StreamService service;
    const auto server = start_http_server(setting.server_options(), service).value();
    tell(to, format_address(server->address()) + "\n");
    while (service.size() < count) std::this_thread::sleep_for(1ms);
    if (seconds == 0) {
        std::this_thread::sleep_for(200ms);
        tell(to, "open\n");
        sleep_for_ever();
    }
    tell(to, StreamPace(service, seconds).run() + "\n");
    sleep_for_ever();
}

constexpr std::string_view kWatch = "GET /watch HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n";

std::vector<TlsClient> open_watches(const Setting& setting, const Address& address, std::size_t count) {
    const TlsContext context = setting.client_context(true);
    std::vector<TlsClient> clients;
    for (std::size_t i = 0; i < count; ++i) {
        clients.push_back(connect_tls(address, context));
        std::string out;
        clients.back().tls->write(kWatch, out);
        CHECK(send_all(clients.back().socket.number(), out));
    }
    return clients;
}

void bench_stream(const Setting& setting) {
    constexpr std::size_t kStreams = 1000;
    Served served([&](int to) { serve_streams(setting, kStreams, setting.seconds, to); });
    const Address address = parse_address(served.line()).value();
    std::vector<TlsClient> clients = open_watches(setting, address, kStreams);
    // They read and throw away: what is measured is the server.
    RealLoop loop;
    for (const TlsClient& client : clients) {
        loop.watch(client.socket.number(), [number = client.socket.number()](RealLoop::Readiness) {
            while (::recv(number, nullptr, 1u << 20, MSG_TRUNC | MSG_DONTWAIT) > 0) {
            }
        });
    }
    const double cpu = cpu_seconds(served.pid());
    const auto start = Clock::now();
    std::string report;
    std::thread waiting([&] {
        report = served.line();
        loop.stop();
    });
    loop.run();
    waiting.join();
    std::printf("%zu TLS streams, 1,000 chunks of 400 bytes a second to each\n%s\n  the server's CPU: %.2f cores\n",
                kStreams, report.c_str(), (cpu_seconds(served.pid()) - cpu) / seconds_since(start));
}

void bench_idle(const Setting& setting) {
    constexpr std::size_t kStreams = 5000;
    raise_descriptor_limit();
    Served served([&](int to) { serve_streams(setting, kStreams, 0, to); });
    const Address address = parse_address(served.line()).value();
    const std::size_t before = resident_bytes(served.pid());
    const std::vector<TlsClient> clients = open_watches(setting, address, kStreams);
    served.line();
    const std::size_t after = resident_bytes(served.pid());
    std::printf("%zu idle TLS streams: %.1f KB of memory each\n", kStreams,
                static_cast<double>(after - before) / 1024 / static_cast<double>(kStreams));
}

}  // namespace
}  // namespace muster::bench

int main(int count, char** arguments) {
    using namespace muster::bench;
    Setting setting;
    std::vector<std::string> wanted;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--seconds") == 0 && i + 1 < count) {
            setting.seconds = std::atof(arguments[++i]);
        } else {
            wanted.emplace_back(arguments[i]);
        }
    }
    const auto wants = [&](const char* name) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    };
    if (wants("get")) bench_get(setting);
    if (wants("stream")) bench_stream(setting);
    if (wants("idle")) bench_idle(setting);
}
