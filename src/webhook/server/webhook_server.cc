#include "webhook/server/webhook_server.h"

#include <mutex>
#include <optional>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "os/loop/guard.h"
#include "webhook/objects/names.h"
#include "webhook/review/conversion.h"

namespace muster::webhook {
namespace {

using api::admission::AdmissionResponse;
using api::admission::AdmissionReview;
using api::conversion::ConversionReview;

// A review has the object twice, and the server stores none that is larger than a megabyte and a half.
constexpr std::size_t kReviewBytesMax = 8u << 20;
// Lists are converted in one review, and may be long.
constexpr std::size_t kConversionBytesMax = 64u << 20;
// API servers show no certificate, so that all of them are one client to the server's count of bytes.
constexpr std::size_t kHeldBytesMax = 256u << 20;
// The way up the owners of a pod is shorter than this.
constexpr int kRoundsMax = 16;

const client::MetricInfo kRequests{"controller_runtime_webhook_requests_total",
                                   "Requests to the webhook server, by path and code of the answer."};
const client::MetricInfo kLatency{"controller_runtime_webhook_latency_seconds",
                                  "Time from a request's body to its answer, by path.",
                                  client::exponential_buckets(0.0001, 4, 9)};
const client::MetricInfo kReads{"muster_webhook_reads_total",
                                "Objects that a review needed and the mirrors did not show."};

os::HttpResponse text_answer(int status, std::string text) {
    os::HttpResponse response;
    response.status = status;
    response.headers.push_back({"Content-Type", "text/plain; charset=utf-8"});
    response.body = std::move(text);
    return response;
}

template <class Review>
os::HttpResponse review_answer(const Review& review) {
    os::HttpResponse response;
    response.headers.push_back({"Content-Type", "application/json"});
    response.body = api::to_json(review);
    return response;
}

template <class Review>
Result<Review> read_review(std::string_view body, std::size_t bytes_max) {
    Review review{};
    api::DecodeLimits limits;
    limits.bytes_max = bytes_max;
    limits.elements_bytes_max = 4 * bytes_max;
    TRY_ASSIGN(const api::Decoded decoded, api::decode_json(Review::info(), &review, body, limits));
    const api::KindInfo& kind = api::kind_info<Review>();
    if (decoded.kind != kind.kind || decoded.api_version != kind.api_version())
        return Error{Code::kBadRequest, "the body is no " + std::string(kind.kind) + " of " + kind.api_version()};
    if (!review.request) return Error{Code::kBadRequest, "the review has no request"};
    return review;
}

os::HttpResponse answer_conversion(const std::string& body) {
    Result<ConversionReview> asked = read_review<ConversionReview>(body, kConversionBytesMax);
    if (!asked.ok()) return text_answer(400, asked.error().message);
    ConversionReview answer;
    answer.response.edit() = review_conversion(*asked->request);
    return review_answer(answer);
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

// Lives as long as the last request that it knows of: carrying threads may still be at work when the server goes.
class WebhookServer::Service final : public os::HttpService, public std::enable_shared_from_this<Service> {
public:
    explicit Service(WebhookServer& server, os::Loop& loop) : server_(&server), loop_(loop) {}

    // On the loop: reviews that arrive from now on are dropped, and their connections with them.
    void close() { server_ = nullptr; }

    void serve(std::unique_ptr<os::HttpExchange> exchange) override {
        const std::optional<Path> path = find_path(path_of(exchange->request.target));
        if (!path) return exchange->respond(text_answer(404, "the paths are /mutate, /validate and /convert"));
        if (exchange->request.method != "POST") return exchange->respond(text_answer(405, "reviews are sent by POST"));
        if (exchange->request.header("content-type").substr(0, 16) != "application/json")
            return exchange->respond(text_answer(415, "reviews are read as application/json"));
        os::HttpExchange& asked = *exchange;
        asked.read_body([self = shared_from_this(), path = *path, held = Exchange(std::move(exchange))] {
            const Result<> done = os::attempt([&] { self->take(held, path); });
            if (!done.ok()) held->respond(text_answer(500, done.error().message));
        });
    }

private:
    static std::optional<Path> find_path(std::string_view path) {
        if (path == kMutatePath) return Path::kMutate;
        if (path == kValidatePath) return Path::kValidate;
        if (path == kConvertPath) return Path::kConvert;
        return std::nullopt;
    }

    // On a carrying thread.
    void take(const Exchange& exchange, Path path) {
        const std::string body = exchange->take_body();
        if (path == Path::kConvert) return exchange->respond(answer_conversion(body));
        Result<AdmissionReview> review = read_review<AdmissionReview>(body, kReviewBytesMax);
        if (!review.ok()) return exchange->respond(text_answer(400, review.error().message));
        auto asked = std::make_shared<const AdmissionReview>(*std::move(review));
        loop_.post_asked([self = shared_from_this(), exchange = exchange, asked = std::move(asked), path]() mutable {
            WebhookServer* server = self->server_;
            if (!server) return;
            server->tasks_.spawn(os::apart(
                server->answer(std::move(exchange), std::move(asked), path, server->loop_.uptime()), "a review"));
        });
    }

    WebhookServer* server_;  // on the loop only
    os::Loop& loop_;
};

WebhookServer::WebhookServer(os::Loop& loop, client::Client& reader, client::Metrics& metrics,
                             WebhookServerOptions options)
    : loop_(loop),
      reader_(reader),
      metrics_(metrics),
      options_(std::move(options)),
      mirrors_(loop, reader),
      tasks_(loop),
      service_(std::make_shared<Service>(*this, loop)) {}

WebhookServer::~WebhookServer() {
    service_->close();
    http_.reset();
}

Result<std::unique_ptr<WebhookServer>> WebhookServer::start(os::Loop& loop, client::Client& reader,
                                                            client::Metrics& metrics, WebhookServerOptions options,
                                                            const os::TlsIdentity& identity) {
    os::HttpServerOptions http;
    http.listen = options.listen;
    http.limits.body_bytes_max = kConversionBytesMax;
    http.limits.connections_max = 1024;
    http.budget = std::make_shared<os::ByteBudget>(
        os::BudgetLimits{.total = kHeldBytesMax, .strangers = kHeldBytesMax, .user = kHeldBytesMax});
    http.tls = os::TlsServerSettings{identity};
    http.on_problem = options.on_problem;
    std::unique_ptr<WebhookServer> server(new WebhookServer(loop, reader, metrics, std::move(options)));
    TRY_ASSIGN(server->http_, os::start_http_server(http, *server->service_));
    server->mirrors_.start();
    return server;
}

Result<> WebhookServer::replace_certificate(const os::TlsIdentity& identity) {
    return http_->replace_tls(os::TlsServerSettings{identity});
}

void WebhookServer::count(Path path, int code, Duration asked_at) {
    const char* name = path == Path::kMutate ? kMutatePath : kValidatePath;
    metrics_.count(kRequests, {{"webhook", name}, {"code", std::to_string(code)}});
    metrics_.observe(kLatency, {{"webhook", name}}, std::chrono::duration<double>(loop_.uptime() - asked_at).count());
}

os::Task<void> WebhookServer::answer(Exchange exchange, std::shared_ptr<const AdmissionReview> asked, Path path,
                                     Duration asked_at) {
    Result<AdmissionResponse> response = co_await os::guarded(review(asked, path));
    if (!response.ok()) {
        count(path, 500, asked_at);
        exchange->respond(text_answer(500, response.error().message));
        co_return;
    }
    AdmissionReview answer;
    answer.response.edit() = *std::move(response);
    count(path, 200, asked_at);
    exchange->respond(review_answer(answer));
}

os::Task<Result<AdmissionResponse>> WebhookServer::review(std::shared_ptr<const AdmissionReview> asked, Path path) {
    if (!mirrors_.synced()) co_return Error{Code::kUnavailable, "Muster has not read the cluster's objects yet"};
    MirrorWorld world(mirrors_);
    for (int round = 0; round < kRoundsMax; ++round) {
        AdmissionResponse response = path == Path::kMutate ? review_mutation(*asked->request, options_.review, world)
                                                           : review_validation(*asked->request, options_.review, world);
        const std::vector<MirrorWorld::Lookup> missing = world.take_missing();
        if (missing.empty()) co_return response;
        for (const MirrorWorld::Lookup& lookup : missing) {
            metrics_.count(kReads, {});
            client::ObjectName name = lookup.name;
            Result<client::AnyObject> read =
                co_await reader_.get_any(*lookup.kind, std::move(name), client::Client::View::kObject);
            if (!read.ok() && read.error().code != Code::kNotFound)
                co_return Error{read.error().code, "an object that the review needs cannot be read: " +
                                                       std::string(lookup.kind->kind) + ": " + read.error().message};
            world.add(lookup, read.ok() ? *std::move(read) : nullptr);
        }
    }
    co_return Error{Code::kInternal, "the owners of the object go on for too long"};
}

}  // namespace muster::webhook
