#include "cli/controllers/flags.h"

#include <CLI/CLI.hpp>

namespace muster::cli {
namespace {

constexpr const char* kAboutControllers =
    "Run the controllers against the API server of a Kubernetes cluster until told to stop.\n"
    "  muster controllers --kubeconfig FILE --controllers job,pod-ttl\n"
    "In a pod of the cluster it uses the pod's service account. Exits with 0 when told to stop, 1 when it lost its\n"
    "lease or a start-up check failed, 2 for bad input.";
constexpr const char* kLeaderGroup = "Leader election";
constexpr const char* kServingGroup = "What it serves";

void declare_leader_flags(CLI::App& verb, ControllersOptions& options) {
    const auto add = [&](const char* flag, auto& value, const char* about) {
        verb.add_option(flag, value, about)->group(kLeaderGroup)->capture_default_str();
    };
    verb.add_flag("--leader-elect,!--no-leader-elect", options.leader_elect,
                  "Of several instances one acts: the one that holds the lease. true")
        ->group(kLeaderGroup);
    add("--leader-elect-resource-namespace", options.leader_elect_namespace,
        "The lease's namespace. The pod's own, else muster-system");
    add("--leader-elect-resource-name", options.leader_elect_name, "The lease's name");
    add("--leader-elect-lease-duration", options.leader_elect_lease_duration,
        "How long others wait for a holder that gives no sign of life");
    add("--leader-elect-renew-deadline", options.leader_elect_renew_deadline,
        "How long the holder acts after its last sign of life");
    add("--leader-elect-retry-period", options.leader_elect_retry_period, "How often the lease is looked at");
}

void declare_serving_flags(CLI::App& verb, ControllersOptions& options) {
    const auto add = [&](const char* flag, auto& value, const char* about) {
        verb.add_option(flag, value, about)->group(kServingGroup)->capture_default_str();
    };
    add("--webhook-bind-address", options.webhook_bind_address,
        "Where the webhook of queueing is served; 0 turns it off");
    add("--webhook-cert-dir", options.webhook_cert_dir,
        "Directory with tls.crt and tls.key; self: certificates are made and renewed here");
    add("--health-bind-address", options.health_bind_address, "Where livez and readyz are served; 0 turns it off");
    add("--metrics-bind-address", options.metrics_bind_address, "Where metrics are served; 0 turns it off");
    add("--metrics-cert-dir", options.metrics_cert_dir,
        "Directory with tls.crt and tls.key for metrics, read again when they change; self: a self-signed certificate");
    add("--metrics-auth", options.metrics_auth, "Who may read metrics: token (the server is asked), none (everyone)");
}

}  // namespace

CLI::App* declare_controllers(CLI::App& app, ControllersOptions& options) {
    CLI::App* verb = app.add_subcommand("controllers", kAboutControllers)->group("Verbs");
    const auto add = [&](const char* flag, auto& value, const char* about) {
        verb->add_option(flag, value, about)->capture_default_str();
    };
    add("--kubeconfig", options.kubeconfig, "The server's kubeconfig");
    add("--context", options.context, "The kubeconfig's context to use");
    add("--controllers", options.controllers, "Which run: job, cron-job, ttl, pod-ttl, queue");
    add("--job-mode", options.job_mode,
        "Which Jobs: managed-by (spec.managedBy is ours), all (those of the cluster's own Job controller, which must "
        "be off), or managed-by,all");
    add("--job-managed-by", options.job_managed_by, "The spec.managedBy of Jobs that are ours");
    add("-n,--namespace", options.namespace_, "Serve this namespace only; for job and pod-ttl");
    verb->add_flag("--observe", options.observe, "Decide and log each write, and write nothing; takes no lease");
    verb->add_flag("--force-queue", options.force_queue, "Run queue although Kueue is at work");
    add("--api-connections", options.api_connections, "How many requests are under way at once, beside watches");
    add("--kube-api-qps", options.kube_api_qps, "Requests per second; 0: as many as the server takes");
    add("--kube-api-burst", options.kube_api_burst, "Requests at once after a pause, with --kube-api-qps");
    add("--feature-gates", options.feature_gates, "What to turn off: IndexedJob=false,…");
    add("--config", options.config_file, "How queueing works: a file in the shape of Kueue's Configuration");
    declare_leader_flags(*verb, options);
    declare_serving_flags(*verb, options);
    return verb;
}

}  // namespace muster::cli
