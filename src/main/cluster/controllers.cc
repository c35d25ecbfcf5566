#include "main/cluster/controllers.h"

#include <ostream>

#include "cli/command_line.h"
#include "main/cluster/serving.h"
#include "main/cluster/settings.h"
#include "main/cluster/webhook_part.h"
#include "os/log/log.h"
#include "os/loop/signals.h"
#include "os/machine/time_zones.h"

namespace muster {
namespace {

constexpr int kExitLost = 1;

ClusterTold log_lines(cli::Terminal terminal) {
    ClusterTold told;
    told.log = [](std::string_view line) { LOG_INFO(0, line); };
    told.problem = [](std::string_view line) { LOG_WARNING(line); };
    told.refusal = [terminal](std::string_view why) { terminal.err << "muster: " << why << std::endl; };
    return told;
}

int refuse(cli::Terminal terminal, const Error& error) {
    terminal.err << "muster: " << error.message << '\n';
    return cli::kExitBadUsage;
}

}  // namespace

int run_controllers(const cli::ControllersOptions& options, cli::Terminal terminal,
                    const cli::Surroundings& surroundings) {
    const Result<ClusterServer> server = find_cluster(options, surroundings);
    if (!server.ok()) return refuse(terminal, server.error());
    std::vector<std::string> notes;
    Result<ClusterSettings> settings = make_cluster_settings(options, *server, surroundings, notes);
    if (!settings.ok()) return refuse(terminal, settings.error());
    Result<client::TransportSettings> transport = make_transport_settings(options, surroundings);
    if (!transport.ok()) return refuse(terminal, transport.error());
    Result<endpoints::EndpointsOptions> serving = make_endpoints_options(options);
    if (!serving.ok()) return refuse(terminal, serving.error());
    if (reviews_readers(*serving)) settings->other_parts.emplace(kMetricsPart);
    client::Metrics requests;
    transport->metrics = &requests;

    Result<std::optional<webhook::WebhookSettings>> reviews = make_webhook_settings(options, *settings);
    if (!reviews.ok()) return refuse(terminal, reviews.error());
    if (*reviews) settings->other_parts.emplace(kWebhookPart);

    os::RealLoop loop;
    os::TimeZones time_zones;
    settings->set.read_zone = [&](std::string_view zone) { return time_zones.read(zone); };
    std::unique_ptr<ClusterProcess> process;
    // Before any thread is there: they inherit that these are blocked.
    const os::Signals signals(loop, os::end_signals(), [&](int) {
        if (process) process->stop();
    });
    auto link = client::RemoteLink::make(loop, server->access, *std::move(transport));
    if (!link.ok()) return refuse(terminal, link.error());
    const ClusterTold told = log_lines(terminal);
    for (const std::string& note : notes) told.problem(note);
    process = std::make_unique<ClusterProcess>(loop, *link, *std::move(settings), told);
    std::optional<ClusterWebhook> webhook;
    if (*reviews) webhook.emplace(loop, *process, **std::move(reviews), told);
    if (webhook) serving->ready.push_back({"webhook", [&webhook] { return webhook->check_ready(); }});
    auto served = ClusterEndpoints::start(loop, **link, *process, requests, *std::move(serving),
                                          options.metrics_cert_dir, surroundings);
    if (!served.ok()) {
        const int code = refuse(terminal, served.error());
        return served.error().code == Code::kBadRequest ? code : kExitLost;
    }
    const ClusterProcess::Outcome outcome = loop.run(process->run());
    served->reset();
    webhook.reset();
    process.reset();
    return outcome == ClusterProcess::Outcome::kStopped ? cli::kExitDone : kExitLost;
}

}  // namespace muster
