// The webhook of `muster controllers` (webhook/webhook.h): whether there is one, and the keeper of its certificates,
// which acts while the process leads. It runs when `queue` is among the controllers.
#pragma once

#include <memory>
#include <optional>

#include "assembly/cluster/cluster_process.h"
#include "cli/controllers/controllers_options.h"
#include "os/loop/thread_worker.h"
#include "webhook/webhook.h"

namespace muster {

// From the flags; nothing when no webhook is to be served. kBadRequest names the flag.
Result<std::optional<webhook::WebhookSettings>> make_webhook_settings(const cli::ControllersOptions& options,
                                                                      const ClusterSettings& settings);

class ClusterWebhook {
public:
    // Loop and process must outlive it.
    ClusterWebhook(os::RealLoop& loop, ClusterProcess& process, webhook::WebhookSettings settings,
                   const ClusterTold& told);

    // Whether reviews are answered, for /readyz.
    Result<> check_ready() const {
        if (webhook_.ready()) return {};
        return Error{Code::kUnavailable, webhook_.why_not_ready()};
    }

private:
    os::ThreadWorker worker_;
    const std::unique_ptr<client::Client> reader_;
    const std::unique_ptr<client::Client> writer_;  // writes while the process leads
    std::optional<webhook::CertificateKeeper> keeper_;
    webhook::Webhook webhook_;
};

}  // namespace muster
