#include "main/cluster/webhook_part.h"

#include "client/led_client.h"
#include "endpoints/endpoints.h"

namespace muster {
namespace {

constexpr const char* kSelfMade = "self";

std::unique_ptr<client::Client> make_leading_client(ClusterProcess& process) {
    return std::make_unique<client::LedClient>(process.make_client(ClusterProcess::cluster_settings()),
                                               [&process]() -> Result<> {
                                                   if (process.leads()) return {};
                                                   return Error{Code::kUnavailable, "this instance does not lead"};
                                               });
}

webhook::WebhookSettings with_reports(webhook::WebhookSettings settings, const ClusterTold& told) {
    settings.on_problem = told.problem;
    settings.server.on_problem = told.problem;
    settings.on_listening = [log = told.log](const os::Address& address) {
        log("the webhook is served at " + os::format_address(address));
    };
    return settings;
}

}  // namespace

Result<std::optional<webhook::WebhookSettings>> make_webhook_settings(const cli::ControllersOptions& options,
                                                                      const ClusterSettings& settings) {
    TRY_ASSIGN(const std::optional<os::Address> listen,
               endpoints::parse_bind_address("--webhook-bind-address", options.webhook_bind_address));
    if (!listen || settings.observe || !settings.controllers.contains(kQueueController))
        return std::optional<webhook::WebhookSettings>();
    webhook::WebhookSettings out;
    out.identity.namespace_ = settings.election.lease.namespace_.str();
    out.identity.managed_by = options.job_managed_by;
    out.server.listen = *listen;
    out.server.review.configuration = settings.set.queueing;
    out.server.review.managed_by = options.job_managed_by;
    if (options.webhook_cert_dir.empty())
        return Error{Code::kBadRequest, "--webhook-cert-dir must be a directory, or self"};
    if (options.webhook_cert_dir != kSelfMade) {
        out.certificate_directory = options.webhook_cert_dir;
        const Result<os::TlsIdentity> found = webhook::read_certificate_directory(out.certificate_directory);
        if (!found.ok()) return Error{Code::kBadRequest, "--webhook-cert-dir: " + found.error().message};
    }
    return std::optional<webhook::WebhookSettings>(std::move(out));
}

ClusterWebhook::ClusterWebhook(os::RealLoop& loop, ClusterProcess& process, webhook::WebhookSettings settings,
                               const ClusterTold& told)
    : worker_("webhook files"),
      reader_(process.make_client(ClusterProcess::cluster_settings())),
      writer_(make_leading_client(process)),
      webhook_(loop, worker_, *reader_, process.metrics(), with_reports(settings, told)) {
    if (settings.certificate_directory.empty()) {
        webhook::KeeperOptions keeping;
        keeping.identity = settings.identity;
        keeping.secret = settings.secret;
        keeping.leads = [&process] { return process.leads(); };
        keeping.on_problem = told.problem;
        keeper_.emplace(loop, *writer_, std::move(keeping));
        keeper_->start();
    }
    webhook_.start();
}

}  // namespace muster
