#include "main/cluster/serving.h"

#include <algorithm>
#include <iterator>

#include "os/log/log.h"
#include "os/machine/machine.h"
#include "server/identity/certificate_authority.h"

namespace muster {
namespace {

constexpr const char* kSelfSigned = "self";
constexpr Duration kLookEvery = 1min;

// Prometheus does not verify it, or trusts what it is told: another comes with each start.
Result<os::TlsIdentity> make_identity(Instant now) {
    const server::Certificate authority = server::make_authority("muster-metrics", now);
    server::ServingNames names;
    names.host_names.push_back(os::host_name());
    TRY_ASSIGN(const server::Certificate serving, server::issue_serving_certificate(authority, names, now));
    return os::TlsIdentity{serving.certificate, serving.key};
}

bool is_same(const os::TlsIdentity& a, const os::TlsIdentity& b) {
    return a.certificate_chain == b.certificate_chain && a.key == b.key;
}

Result<> check_mirrors(const ClusterProcess& process) {
    if (process.is_ready()) return {};
    return Error{Code::kUnavailable, "the start-up checks have not passed, or a mirror has not listed its objects"};
}

void say_where(const char* what, const std::optional<os::Address>& address) {
    if (address) LOG_INFO(0, "Serving", {"endpoint", what}, {"address", os::format_address(*address)});
}

}  // namespace

Result<endpoints::EndpointsOptions> make_endpoints_options(const cli::ControllersOptions& options) {
    endpoints::EndpointsOptions out;
    TRY_ASSIGN(out.health, endpoints::parse_bind_address("--health-bind-address", options.health_bind_address));
    TRY_ASSIGN(out.metrics, endpoints::parse_bind_address("--metrics-bind-address", options.metrics_bind_address));
    TRY_ASSIGN(out.auth, endpoints::parse_metrics_auth(options.metrics_auth));
    if (options.metrics_cert_dir.empty())
        return Error{Code::kBadRequest, "--metrics-cert-dir is a directory with tls.crt and tls.key, or self"};
    return out;
}

bool reviews_readers(const endpoints::EndpointsOptions& options) {
    return options.metrics && options.auth == endpoints::MetricsAuth::kToken;
}

ClusterEndpoints::ClusterEndpoints(os::Loop& loop, std::string cert_dir, const cli::Surroundings& surroundings)
    : loop_(loop), cert_dir_(std::move(cert_dir)), surroundings_(surroundings) {}

ClusterEndpoints::~ClusterEndpoints() {
    if (timer_ != 0) loop_.cancel(timer_);
}

Result<std::unique_ptr<ClusterEndpoints>> ClusterEndpoints::start(os::Loop& loop, client::RemoteLink& link,
                                                                  ClusterProcess& process, client::Metrics& requests,
                                                                  endpoints::EndpointsOptions options,
                                                                  std::string cert_dir,
                                                                  const cli::Surroundings& surroundings) {
    std::unique_ptr<ClusterEndpoints> made(new ClusterEndpoints(loop, std::move(cert_dir), surroundings));
    made->reviewer_ = process.make_client(ClusterProcess::cluster_settings());
    std::vector<endpoints::HealthCheck> ready{{"credentials", [&link] { return link.transport().check_credentials(); }},
                                              {"mirrors", [&process] { return check_mirrors(process); }}};
    std::ranges::move(options.ready, std::back_inserter(ready));
    options.ready = std::move(ready);
    options.metrics_text = [&process, &requests] { return requests.format() + process.metrics_text(); };
    options.inspect = [&process](std::string_view topic) { return process.inspect(topic); };
    const bool has_metrics = options.metrics.has_value();
    if (has_metrics) {
        TRY_ASSIGN(made->identity_, made->find_identity());
        options.identity = made->identity_;
    }
    TRY_ASSIGN(made->endpoints_, endpoints::Endpoints::start(loop, made->reviewer_.get(), std::move(options)));
    say_where("health", made->endpoints_->health_address());
    say_where("metrics", made->endpoints_->metrics_address());
    if (has_metrics) made->look_later();
    return made;
}

Result<os::TlsIdentity> ClusterEndpoints::find_identity() const {
    if (cert_dir_ == kSelfSigned) return make_identity(loop_.now());
    const auto read = [this](const char* name) -> Result<std::string> {
        Result<std::string> text = surroundings_.read_file(cert_dir_ + '/' + name);
        if (!text.ok()) return Error{Code::kBadRequest, "--metrics-cert-dir: " + text.error().message};
        return text;
    };
    os::TlsIdentity identity;
    TRY_ASSIGN(identity.certificate_chain, read("tls.crt"));
    TRY_ASSIGN(identity.key, read("tls.key"));
    return identity;
}

void ClusterEndpoints::look_later() {
    timer_ = loop_.after(kLookEvery, [this] { look_at_identity(); });
}

void ClusterEndpoints::look_at_identity() {
    look_later();
    const bool own = cert_dir_ == kSelfSigned;
    if (own && !server::needs_renewal(identity_.certificate_chain, loop_.now())) return;
    const Result<os::TlsIdentity> found = find_identity();
    if (found.ok() && is_same(*found, identity_)) return;
    const Result<> replaced = found.ok() ? endpoints_->replace_identity(*found) : Result<>(found.error());
    if (!replaced.ok()) {
        // Files that are being replaced: a certificate whose key has not come yet. The old one goes on.
        LOG_WARNING("Cannot replace the certificate of the metrics endpoint", {"err", replaced.error().message});
        return;
    }
    identity_ = *found;
    LOG_INFO(0, "Replaced the certificate of the metrics endpoint");
}

}  // namespace muster
