#include "main/cluster/settings.h"

#include "api/configuration/kueue_configuration.h"
#include "api/selector/names.h"
#include "api/value/span.h"
#include "assembly/cluster/choices.h"
#include "base/version.h"
#include "os/machine/entropy.h"
#include "os/machine/machine.h"

namespace muster {
namespace {

constexpr const char* kDefaultHome = "muster-system";
constexpr std::int64_t kConnectionsMax = 10'000;

Error bad_flag(std::string message) { return {Code::kBadRequest, std::move(message)}; }

Result<Duration> parse_flag_span(const char* flag, const std::string& text) {
    const Result<api::Span> span = api::Span::parse(text);
    if (!span.ok()) return bad_flag(std::string(flag) + ": " + span.error().message);
    return span->duration();
}

Result<client::LeaseTimes> make_lease_times(const cli::ControllersOptions& options) {
    client::LeaseTimes times;
    TRY_ASSIGN(times.lease, parse_flag_span("--leader-elect-lease-duration", options.leader_elect_lease_duration));
    TRY_ASSIGN(times.renew, parse_flag_span("--leader-elect-renew-deadline", options.leader_elect_renew_deadline));
    TRY_ASSIGN(times.retry, parse_flag_span("--leader-elect-retry-period", options.leader_elect_retry_period));
    if (const Result<> checked = client::check_lease_times(times); !checked.ok())
        return bad_flag("--leader-elect-…: " + checked.error().message);
    return times;
}

std::string home_namespace(const cli::ControllersOptions& options, const ClusterServer& server) {
    if (!options.leader_elect_namespace.empty()) return options.leader_elect_namespace;
    if (server.in_cluster) return server.access.namespace_;
    return options.namespace_.empty() ? kDefaultHome : options.namespace_;
}

std::string draw_identity() {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text = os::host_name() + '_';
    const std::uint64_t seed = os::draw_seed();
    for (int i = 60; i >= 0; i -= 4) text += kDigits[(seed >> i) & 15u];
    return text;
}

Result<client::LeaderElectionOptions> make_election(const cli::ControllersOptions& options,
                                                    const ClusterServer& server) {
    client::LeaderElectionOptions election;
    const std::string home = home_namespace(options, server);
    if (!api::is_dns1123_label(home).empty())
        return bad_flag("--leader-elect-resource-namespace \"" + home + "\" is no name of a namespace");
    if (!api::is_dns1123_subdomain(options.leader_elect_name).empty())
        return bad_flag("--leader-elect-resource-name \"" + options.leader_elect_name + "\" is no name of a Lease");
    election.lease = {home, options.leader_elect_name};
    election.identity = draw_identity();
    election.component = "muster-controllers";
    TRY_ASSIGN(election.times, make_lease_times(options));
    election.seed = os::draw_seed();
    return election;
}

Result<api::FeatureGates> parse_cluster_gates(const std::string& text) {
    const Result<api::FeatureGates> gates = api::parse_feature_gates(text);
    if (!gates.ok()) return bad_flag("--feature-gates: " + gates.error().message);
    if (!gates->job_tracking_with_finalizers)
        return bad_flag(
            "--feature-gates: JobTrackingWithFinalizers cannot be turned off on a cluster: its own Job "
            "controller could not continue such Jobs");
    return *gates;
}

Result<api::kueue::QueueConfiguration> read_queue_configuration(const std::string& path,
                                                                const cli::Surroundings& surroundings,
                                                                std::vector<std::string>& notes) {
    if (path.empty()) return api::kueue::QueueConfiguration();
    const Result<std::string> text = surroundings.read_file(path);
    if (!text.ok()) return bad_flag("--config: " + text.error().message);
    std::vector<std::string> said;
    Result<api::kueue::QueueConfiguration> read = api::kueue::parse_queue_configuration(*text, &said);
    if (!read.ok()) return bad_flag("--config " + path + ": " + read.error().message);
    for (const std::string& note : said) notes.push_back(path + ": " + note);
    return read;
}

}  // namespace

Result<ClusterServer> find_cluster(const cli::ControllersOptions& options, const cli::Surroundings& surroundings) {
    const bool named = !options.kubeconfig.empty() || !options.context.empty();
    if (!named && !surroundings.environment("KUBERNETES_SERVICE_HOST").empty()) {
        TRY_ASSIGN(client::ServerAccess access,
                   client::in_cluster_access(surroundings.environment, surroundings.read_file));
        return ClusterServer{std::move(access), true};
    }
    client::KubeconfigOptions which;
    if (!options.context.empty()) which.context = options.context;
    const std::vector<std::string> paths = client::kubeconfig_paths(
        options.kubeconfig, surroundings.environment("KUBECONFIG"), "muster-data", surroundings.environment("HOME"));
    TRY_ASSIGN(client::ServerAccess access, client::read_kubeconfig(paths, which, surroundings.read_file));
    return ClusterServer{std::move(access), false};
}

Result<client::TransportSettings> make_transport_settings(const cli::ControllersOptions& options,
                                                          const cli::Surroundings& surroundings) {
    if (options.api_connections < 1 || options.api_connections > kConnectionsMax)
        return bad_flag("--api-connections must be from 1 to " + std::to_string(kConnectionsMax));
    if (!(options.kube_api_qps >= 0)) return bad_flag("--kube-api-qps must not be negative; 0 is no limit");
    if (options.kube_api_burst < 1 || options.kube_api_burst > 1'000'000)
        return bad_flag("--kube-api-burst must be from 1 to 1000000");
    client::TransportSettings settings;
    settings.connections = static_cast<std::size_t>(options.api_connections);
    settings.rate.qps = options.kube_api_qps;
    settings.rate.burst = static_cast<int>(options.kube_api_burst);
    settings.user_agent = "muster/" + version() + " controllers";
    settings.variable = surroundings.environment;
    settings.read_file = surroundings.read_file;
    return settings;
}

Result<ClusterSettings> make_cluster_settings(const cli::ControllersOptions& options, const ClusterServer& server,
                                              const cli::Surroundings& surroundings, std::vector<std::string>& notes) {
    ClusterSettings settings;
    TRY_ASSIGN(settings.controllers, parse_cluster_controllers(options.controllers));
    TRY(check_one_namespace(options.namespace_, settings.controllers));
    TRY_ASSIGN(settings.set.ownership, parse_job_mode(options.job_mode, options.job_managed_by));
    TRY_ASSIGN(settings.set.gates, parse_cluster_gates(options.feature_gates));
    TRY_ASSIGN(settings.set.queueing, read_queue_configuration(options.config_file, surroundings, notes));
    TRY_ASSIGN(settings.election, make_election(options, server));
    settings.set.job_pace = controllers::jobs::kClusterPace;
    settings.set.ttl_of_pods = false;
    settings.namespace_ = options.namespace_;
    settings.observe = options.observe;
    settings.force_queue = options.force_queue;
    settings.leader_elect = options.leader_elect;
    return settings;
}

}  // namespace muster
