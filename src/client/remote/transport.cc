#include "client/remote/transport.h"

#include <algorithm>
#include <charconv>

#include "base/reached.h"

namespace muster::client {
namespace {

constexpr std::int64_t kRetryAfterMax = 60;

}  // namespace

std::optional<Duration> retry_delay(const os::HttpAnswerHead& head, double chance) {
    if (head.status != 429 && head.status != 503) return std::nullopt;
    const std::string_view text = head.header("retry-after");
    std::int64_t seconds = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (text.empty() || code != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
    const auto asked = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 1, kRetryAfterMax));
    return asked + std::chrono::duration_cast<Duration>(asked * (chance / 2));
}

Transport::Transport(os::Loop& loop, os::Network& network, os::Worker& worker, const ServerAccess& access,
                     TransportSettings settings)
    : loop_(loop),
      network_(network),
      worker_(worker),
      settings_(std::move(settings)),
      credentials_(loop, worker, access, real_ways(settings_.read_file)),
      limiter_(loop, settings_.connections),
      random_(static_cast<std::uint64_t>(loop.now().since_epoch().count())) {}

Result<std::unique_ptr<Transport>> Transport::make(os::Loop& loop, os::Network& network, os::Worker& worker,
                                                   const ServerAccess& access, TransportSettings settings) {
    std::unique_ptr<Transport> transport(new Transport(loop, network, worker, access, std::move(settings)));
    os::HttpClientSettings& http = transport->http_settings_;
    TRY_ASSIGN(http.origin, os::parse_origin(access.server));
    const ReadVariable none = [](const char*) { return std::string(); };
    TRY_ASSIGN(http.proxy, find_proxy(access, transport->settings_.variable ? transport->settings_.variable : none));
    http.tls.server_authorities = access.ca_certificates;
    http.tls.verify_server = !access.insecure;
    http.server_name = access.tls_server_name;
    http.user_agent = transport->settings_.user_agent;
    http.kept_max = transport->settings_.connections;
    // What cannot be read is told now and not with the first request.
    TRY(transport->client_for({.client_certificate = access.client_certificate, .client_key = access.client_key}));
    return transport;
}

Result<std::shared_ptr<os::HttpClient>> Transport::client_for(const Credential& credential) {
    const bool same =
        shown_.client_certificate == credential.client_certificate && shown_.client_key == credential.client_key;
    if (client_ && same) return client_;
    os::HttpClientSettings settings = http_settings_;
    if (!credential.client_certificate.empty())
        settings.tls.identity = os::TlsIdentity{credential.client_certificate, credential.client_key};
    TRY_ASSIGN(client_, os::make_http_client(loop_, network_, worker_, std::move(settings)));
    shown_ = credential;
    return client_;
}

os::Task<Result<std::shared_ptr<os::HttpClient>>> Transport::prepare(os::HttpClientRequest& request) {
    CO_TRY_ASSIGN(const Credential credential, co_await credentials_.get());
    std::erase_if(request.headers, [](const os::HttpHeader& header) { return header.name == "Authorization"; });
    if (!credential.token.empty()) request.headers.push_back({"Authorization", "Bearer " + credential.token});
    co_return client_for(credential);
}

os::Task<bool> Transport::again(const os::HttpAnswerHead& head, int& retries, bool& renewed) {
    if (head.status == 401 && !std::exchange(renewed, true)) {
        REACHED("the server does not accept our credentials, and they are read again");
        co_return credentials_.refused();
    }
    if (head.status == 429) limiter_.slow_down();
    const std::optional<Duration> delay = retry_delay(head, random_.unit());
    if (!delay || retries++ >= settings_.retries_max) co_return false;
    co_await os::sleep_for(loop_, *delay);
    co_return true;
}

os::Task<Result<os::HttpWholeAnswer>> Transport::send(os::HttpClientRequest request, RequestClass class_) {
    int retries = 0;
    bool renewed = false;
    for (;;) {
        CO_TRY_ASSIGN(const std::shared_ptr<os::HttpClient> client, co_await prepare(request));
        std::optional<Result<os::HttpWholeAnswer>> answer;
        {
            const Limiter::Place place = co_await limiter_.enter(class_);
            answer = co_await client->send(request);
        }
        if (!answer->ok() || !co_await again((*answer)->head, retries, renewed)) co_return std::move(*answer);
    }
}

os::Task<Result<std::unique_ptr<os::HttpIncoming>>> Transport::open(os::HttpClientRequest request) {
    int retries = 0;
    bool renewed = false;
    for (;;) {
        CO_TRY_ASSIGN(const std::shared_ptr<os::HttpClient> client, co_await prepare(request));
        auto incoming = co_await client->open(request);
        if (!incoming.ok() || !co_await again((*incoming)->head(), retries, renewed)) co_return incoming;
    }
}

}  // namespace muster::client
