#include "client/remote/transport.h"

#include <optional>

#include "base/reached.h"
#include "client/remote/proxy.h"
#include "os/log/log.h"

namespace muster::client {
namespace {

Result<std::string> no_file(const std::string& path) {
    return Error{Code::kNotFound, "cannot read " + path + ": there are no files here"};
}

bool same_certificates(const Credential& a, const Credential& b) {
    return a.client_certificate == b.client_certificate && a.client_key == b.client_key &&
           a.ca_certificates == b.ca_certificates;
}

}  // namespace

Transport::Transport(os::Loop& loop, os::Network& network, os::Worker& worker, const ServerAccess& access,
                     TransportSettings settings)
    : loop_(loop),
      network_(network),
      worker_(worker),
      settings_(std::move(settings)),
      credentials_(loop, worker, access, real_ways(settings_.read_file ? settings_.read_file : no_file)),
      limiter_(loop, settings_.connections, settings_.rate),
      retries_(loop, limiter_, settings_.retries_max),
      report_(settings_.metrics, access.server) {}

Result<std::unique_ptr<Transport>> Transport::make(os::Loop& loop, os::Network& network, os::Worker& worker,
                                                   const ServerAccess& access, TransportSettings settings) {
    std::unique_ptr<Transport> transport(new Transport(loop, network, worker, access, std::move(settings)));
    os::HttpClientSettings& http = transport->http_settings_;
    TRY_ASSIGN(http.origin, os::parse_origin(access.server));
    const ReadVariable none = [](const char*) { return std::string(); };
    TRY_ASSIGN(http.proxy, find_proxy(access, transport->settings_.variable ? transport->settings_.variable : none));
    http.tls.verify_server = !access.insecure;
    // A proxy need not have its certificate from the cluster's authority. It is not shown who we are.
    http.proxy_tls = http.tls;
    http.proxy_tls.trusts_system = true;
    http.server_name = access.tls_server_name;
    http.user_agent = transport->settings_.user_agent;
    http.accepts_gzip = true;
    http.kept_max = transport->settings_.connections;
    // What cannot be read is told now and not with the first request.
    TRY(transport->client_for({.client_certificate = access.client_certificate,
                               .client_key = access.client_key,
                               .ca_certificates = access.ca_certificates}));
    return transport;
}

Result<std::shared_ptr<os::HttpClient>> Transport::client_for(const Credential& credential) {
    if (client_ && same_certificates(shown_, credential)) return client_;
    os::HttpClientSettings settings = http_settings_;
    settings.tls.server_authorities = credential.ca_certificates;
    settings.proxy_tls.server_authorities = credential.ca_certificates;
    if (!credential.client_certificate.empty())
        settings.tls.identity = os::TlsIdentity{credential.client_certificate, credential.client_key};
    auto made = os::make_http_client(loop_, network_, worker_, std::move(settings));
    // Files that are being replaced: a certificate whose key has not come yet. Until then it stays as it was.
    if (!made.ok() && !client_) return made.error();
    if (made.ok()) client_ = *std::move(made);
    shown_ = credential;
    return client_;
}

os::Task<Result<std::shared_ptr<os::HttpClient>>> Transport::prepare(os::HttpClientRequest& request) {
    CO_TRY_ASSIGN(const Credential credential, co_await credentials_.get());
    std::erase_if(request.headers, [](const os::HttpHeader& header) { return header.name == "Authorization"; });
    if (!credential.token.empty()) request.headers.push_back({"Authorization", "Bearer " + credential.token});
    co_return client_for(credential);
}

os::Task<bool> Transport::again(const os::HttpAnswerHead* head, Code error, Tries& tries) {
    const bool refused = head && head->status == 401;
    const bool untrusted = !head && error == Code::kUnauthorized;
    if ((refused || untrusted) && !std::exchange(tries.renewed, true)) {
        REACHED("the server does not accept our credentials or we do not trust it, and files are read again");
        LOG_INFO(2, "Reading credentials again", {"refused", refused}, {"untrusted", untrusted});
        co_return refused ? credentials_.refused() : credentials_.untrusted();
    }
    if (!head) co_return false;
    co_return co_await retries_.again(*head, tries.retries);
}

os::Task<Result<os::HttpWholeAnswer>> Transport::send(os::HttpClientRequest request, RequestTurn turn) {
    Tries tries;
    for (;;) {
        CO_TRY_ASSIGN(const std::shared_ptr<os::HttpClient> client, co_await prepare(request));
        std::optional<Result<os::HttpWholeAnswer>> answer;
        {
            const Duration came = loop_.uptime();
            const Limiter::Place place = co_await limiter_.enter(turn);
            const Duration sent = loop_.uptime();
            report_.waited(request.method, sent - came);
            answer = co_await client->send(request);
            if (answer->ok()) {
                last_status_ = (*answer)->head.status;
                report_.answered(request, last_status_, loop_.uptime() - sent, (*answer)->body.size());
            } else {
                report_.failed(request, answer->error(), loop_.uptime() - sent);
            }
        }
        const os::HttpAnswerHead* head = answer->ok() ? &(*answer)->head : nullptr;
        const bool once_more = co_await again(head, head ? Code() : answer->error().code, tries);
        if (!once_more) co_return std::move(*answer);
    }
}

os::Task<Result<std::unique_ptr<os::HttpIncoming>>> Transport::open(os::HttpClientRequest request) {
    Tries tries;
    for (;;) {
        CO_TRY_ASSIGN(const std::shared_ptr<os::HttpClient> client, co_await prepare(request));
        const Duration sent = loop_.uptime();
        auto incoming = co_await client->open(request);
        if (incoming.ok()) {
            last_status_ = (*incoming)->head().status;
            report_.opened(request, last_status_, loop_.uptime() - sent);
        } else {
            report_.failed(request, incoming.error(), loop_.uptime() - sent);
        }
        const os::HttpAnswerHead* head = incoming.ok() ? &(*incoming)->head() : nullptr;
        const bool once_more = co_await again(head, head ? Code() : incoming.error().code, tries);
        if (!once_more) co_return incoming;
    }
}

Result<> Transport::check_credentials() const {
    if (last_status_ == 0) return Error{Code::kUnavailable, "the API server has not answered yet"};
    if (last_status_ == 401) return Error{Code::kUnauthorized, "the API server does not accept our credentials"};
    return {};
}

}  // namespace muster::client
