#include "cli/manifests.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/version.h"
#include "manifests/manifests.h"

namespace muster::cli {
namespace {

constexpr const char* kAboutManifests =
    "Print the objects that install Muster on a Kubernetes cluster, as YAML.\n"
    "  muster manifests | kubectl apply -f -\n"
    "  muster manifests crds rbac\n"
    "Parts are namespace, crds, rbac, flow, network, deployment, admission and monitoring; without one, all but\n"
    "monitoring.";

}  // namespace

CLI::App* declare_manifests(CLI::App& app, ManifestsOptions& options) {
    CLI::App* verb = app.add_subcommand("manifests", kAboutManifests)->group("Verbs");
    manifests::Settings& settings = options.settings;
    settings.image = "muster-controllers:" + version();
    const auto add = [&](const char* flag, auto& value, const char* about) {
        verb->add_option(flag, value, about)->capture_default_str();
    };
    verb->add_option("part", options.parts, "Print these parts only");
    add("-n,--namespace", settings.namespace_, "Namespace of the process and of its own objects");
    add("--image", settings.image, "The image of the process");
    add("--controllers", settings.controllers, "Which run: job, cron-job, ttl, pod-ttl, queue");
    add("--job-mode", settings.job_mode, "Which Jobs are run: managed-by, all, or managed-by,all");
    add("--replicas", settings.replicas, "How many instances; one of them leads");
    add("--admission", settings.admission,
        "How work comes to the queues: webhook, policies (from Kubernetes 1.36 on), none");
    add("--webhook-certificates", settings.certificates, "Who makes the webhook's certificates: self, cert-manager");
    add("--queue-versions", settings.queue_versions,
        "Versions of the queueing kinds that the definitions serve: v1beta2, or v1beta1,v1beta2");
    add("--priority-class", settings.priority_class, "Priority class of the pods, such as system-cluster-critical");
    add("--pod-log-format", settings.log_format, "Form of the log of the process: text, json");
    add("--only-namespace", settings.only_namespace,
        "Install into this namespace and serve it alone, without rights beyond it; for job, ttl and pod-ttl");
    add("-o,--output", options.output, "How objects are printed: yaml, json (one List)");
    verb->add_flag("--monitoring", settings.monitoring,
                   "Print a ServiceMonitor, alerts and a dashboard too; needs the Prometheus operator's definitions");
    return verb;
}

int run_manifests(const ManifestsOptions& options, Terminal terminal) {
    const auto refuse = [&](const Error& error) {
        terminal.err << "muster: " << error.message << "\nTry: muster help manifests\n";
        return kExitBadUsage;
    };
    const Result<manifests::Plan> plan = manifests::check_settings(options.settings);
    if (!plan.ok()) return refuse(plan.error());
    const Result<manifests::Objects> objects = manifests::make_objects(*plan, options.parts);
    if (!objects.ok()) return refuse(objects.error());
    if (options.output == "json")
        terminal.out << manifests::format_list(*objects);
    else if (options.output == "yaml")
        terminal.out << manifests::format_objects(*objects);
    else
        return refuse({Code::kBadRequest, "--output=" + options.output + ": must be yaml or json"});
    return kExitDone;
}

}  // namespace muster::cli
