#include "endpoints/endpoints.h"

#include <utility>

#include "endpoints/debug.h"
#include "endpoints/pulse.h"
#include "endpoints/reviews.h"
#include "os/log/log.h"
#include "os/loop/task.h"

namespace muster::endpoints {
namespace {

constexpr const char* kMetricsPath = "/metrics";
constexpr std::string_view kDebugPath = "/debug/";

os::HttpLimits small_limits() {
    os::HttpLimits limits;
    limits.body_bytes_max = 4u << 10;
    limits.head_bytes_max = 16u << 10;
    limits.headers_max = 64;
    limits.target_bytes_max = 2u << 10;
    limits.pipelined_bytes_max = 16u << 10;
    limits.connections_max = 128;
    limits.gzip_bytes_min = 8u << 10;
    limits.handshake_timeout = 5s;
    limits.head_timeout = 5s;
    limits.body_timeout = 5s;
    limits.send_timeout = 15s;
    return limits;
}

os::HttpResponse text_answer(int status, std::string body, const char* type = "text/plain; charset=utf-8") {
    os::HttpResponse response;
    response.status = status;
    response.headers = {{"Content-Type", type}, {"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}};
    response.body = std::move(body);
    return response;
}

bool is_read(const os::HttpRequest& request) { return request.method == "GET" || request.method == "HEAD"; }
std::string path_of_target(std::string_view target) { return std::string(target.substr(0, target.find('?'))); }

// All addresses, of both families; where there is only the older one, of that.
Result<std::unique_ptr<os::HttpServer>> listen_with(os::HttpServerOptions http, os::HttpService& service) {
    auto server = os::start_http_server(http, service);
    if (server.ok() || http.listen.host != "::") return server;
    http.listen.host = "0.0.0.0";
    return os::start_http_server(http, service);
}

using ExchangeRef = std::shared_ptr<os::HttpExchange>;

// What requests that are on their way to the loop refer to. It outlives the endpoints when such are left.
struct Shared {
    Shared(os::Loop& of, EndpointsOptions with) : loop(of), options(std::move(with)), pulse(of), tasks(of) {}

    os::Loop& loop;
    const EndpointsOptions options;
    Pulse pulse;
    std::unique_ptr<AccessGate> gate;  // null: everyone may read
    os::TaskScope tasks;
};

// Runs it on the loop, unless the endpoints are gone by then.
void run_on_loop(os::Loop& loop, std::weak_ptr<Shared> shared, std::function<void(Shared&)> work) {
    loop.post_asked([shared = std::move(shared), work = std::move(work)] {
        if (const auto still = shared.lock()) work(*still);
    });
}

class HealthService final : public os::HttpService {
public:
    explicit HealthService(const std::shared_ptr<Shared>& shared)
        : shared_(shared), loop_(shared->loop), pulse_(shared->pulse) {}

    void serve(std::unique_ptr<os::HttpExchange> exchange) override {
        const Result<HealthQuestion> question = parse_health_target(exchange->request.target);
        if (!question.ok()) return exchange->respond(text_answer(404, "404 page not found\n"));
        if (!is_read(exchange->request)) return exchange->respond(text_answer(405, "method not allowed\n"));
        std::vector<HealthOutcome> outcomes{{"ping", {}}, {"loop", pulse_.check()}};
        // A loop that hangs would answer nothing.
        const bool on_loop = question->endpoint != "livez" && outcomes.back().result.ok();
        if (!on_loop) return answer(*exchange, outcomes);
        run_on_loop(loop_, shared_, [exchange = ExchangeRef(std::move(exchange)), outcomes](Shared& shared) mutable {
            for (const HealthCheck& check : shared.options.ready) outcomes.push_back({check.name, check.check()});
            answer(*exchange, outcomes);
        });
    }

private:
    static void answer(os::HttpExchange& exchange, const std::vector<HealthOutcome>& outcomes) {
        // Parsed again: it refers to the target.
        const Result<HealthQuestion> question = parse_health_target(exchange.request.target);
        const HealthAnswer answer = answer_health(*question, outcomes);
        for (const HealthOutcome& outcome : outcomes)
            if (answer.status == 500 && !outcome.result.ok())
                LOG_WARNING("A health check failed", {"endpoint", question->endpoint}, {"check", outcome.name},
                            {"err", outcome.result.error().message});
        exchange.respond(text_answer(answer.status, answer.body));
    }

    const std::weak_ptr<Shared> shared_;
    os::Loop& loop_;
    const Pulse& pulse_;
};

os::HttpResponse format_answer(Shared& shared, const std::string& path) {
    if (path == kMetricsPath)
        return text_answer(200, shared.options.metrics_text(), "text/plain; version=0.0.4; charset=utf-8");
    const std::string topic = path.substr(kDebugPath.size());
    return text_answer(200, format_rows(topic, shared.loop.now(), shared.options.inspect(topic)), "application/json");
}

os::Task<void> answer_reader(Shared& shared, ExchangeRef exchange, std::string path) {
    if (shared.gate) {
        auto admitting = shared.gate->admit(std::string(exchange->request.header("authorization")), path);
        std::optional<Refusal> refusal = co_await std::move(admitting);
        if (refusal) {
            os::HttpResponse response = text_answer(refusal->status, refusal->body);
            if (refusal->status == 401) response.headers.push_back({"WWW-Authenticate", "Bearer"});
            exchange->respond(std::move(response));
            co_return;
        }
    }
    exchange->respond(format_answer(shared, path));
}

class MetricsService final : public os::HttpService {
public:
    explicit MetricsService(const std::shared_ptr<Shared>& shared) : shared_(shared), loop_(shared->loop) {}

    void serve(std::unique_ptr<os::HttpExchange> exchange) override {
        std::string path = path_of_target(exchange->request.target);
        if (!is_served(path)) return exchange->respond(text_answer(404, "404 page not found\n"));
        if (!is_read(exchange->request)) return exchange->respond(text_answer(405, "method not allowed\n"));
        run_on_loop(loop_, shared_, [exchange = ExchangeRef(std::move(exchange)), path](Shared& shared) {
            shared.tasks.spawn(answer_reader(shared, exchange, path));
        });
    }

private:
    static bool is_served(std::string_view path) {
        if (path == kMetricsPath) return true;
        if (!path.starts_with(kDebugPath)) return false;
        path.remove_prefix(kDebugPath.size());
        return path == client::kMirrorsTopic || path == client::kQueuesTopic || path == client::kUnseenTopic;
    }

    const std::weak_ptr<Shared> shared_;
    os::Loop& loop_;
};

class ServedEndpoints final : public Endpoints {
public:
    explicit ServedEndpoints(std::shared_ptr<Shared> shared)
        : shared_(std::move(shared)), health_service_(shared_), metrics_service_(shared_) {}

    Result<> open(const EndpointsOptions& options) {
        os::HttpServerOptions http;
        http.carrying_threads = 1;
        http.limits = small_limits();
        http.on_problem = [](std::string_view problem) { LOG_WARNING(problem); };
        if (options.health) {
            http.listen = *options.health;
            TRY_ASSIGN(health_, listen_with(http, health_service_));
        }
        if (options.metrics) {
            http.listen = *options.metrics;
            http.tls = os::TlsServerSettings{options.identity};
            TRY_ASSIGN(metrics_, listen_with(http, metrics_service_));
        }
        return {};
    }

    std::optional<os::Address> health_address() const override {
        return health_ ? std::optional(health_->address()) : std::nullopt;
    }
    std::optional<os::Address> metrics_address() const override {
        return metrics_ ? std::optional(metrics_->address()) : std::nullopt;
    }
    Result<> replace_identity(const os::TlsIdentity& identity) override {
        return metrics_ ? metrics_->replace_tls({identity}) : Result<>();
    }

private:
    const std::shared_ptr<Shared> shared_;
    HealthService health_service_;
    MetricsService metrics_service_;
    std::unique_ptr<os::HttpServer> health_;  // last: they end first
    std::unique_ptr<os::HttpServer> metrics_;
};

}  // namespace

Result<MetricsAuth> parse_metrics_auth(std::string_view text) {
    if (text == "token") return MetricsAuth::kToken;
    if (text == "none") return MetricsAuth::kNone;
    return Error{Code::kBadRequest, "--metrics-auth is token or none, not \"" + std::string(text) + "\""};
}

Result<std::optional<os::Address>> parse_bind_address(const std::string& flag, const std::string& text) {
    if (text.empty() || text == "0") return std::optional<os::Address>();
    const Result<os::Address> address = os::parse_address(text.starts_with(':') ? "[::]" + text : text);
    if (address.ok()) return std::optional(*address);
    return Error{Code::kBadRequest, flag + ": " + address.error().message};
}

Result<std::unique_ptr<Endpoints>> Endpoints::start(os::Loop& loop, client::Client* reviewer,
                                                    EndpointsOptions options) {
    auto shared = std::make_shared<Shared>(loop, std::move(options));
    if (shared->options.auth == MetricsAuth::kToken) {
        CHECK(reviewer || !shared->options.metrics, "tokens are reviewed by a server");
        if (reviewer) shared->gate = std::make_unique<AccessGate>(loop, reviewers_of(*reviewer), shared->options.times);
    }
    auto endpoints = std::make_unique<ServedEndpoints>(shared);
    TRY(endpoints->open(shared->options));
    return std::unique_ptr<Endpoints>(std::move(endpoints));
}

}  // namespace muster::endpoints
