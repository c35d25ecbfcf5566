#include "main/pod_logs.h"

#include "node/logs/logs.h"
#include "os/files/files.h"

namespace muster {
namespace {

using api::core::Pod;
using api::core::PodLogOptions;

std::function<std::string(const Pod&, const Text&)> place_in(const std::string& data_directory) {
    return [directory = os::absolute_path(data_directory) + "/node"](const Pod& pod, const Text& container) {
        PodLogOptions options;
        options.container = container;
        const Result<node::LogRequest> request = node::find_log(pod, options, directory, Instant());
        return request.ok() ? request->path : std::string();
    };
}

}  // namespace

cli::PodLogs pod_logs_of(client::PodAccess& pods, const std::string& data_directory) {
    cli::PodLogs logs;
    logs.open = [&pods](const Pod& pod, const PodLogOptions& options) { return pods.open_log(pod, options); };
    logs.place = place_in(data_directory);
    return logs;
}

cli::PodLogs served_pod_logs(client::RemoteClient& client, const std::string& data_directory) {
    cli::PodLogs logs = served_pod_logs(client);
    logs.splits_streams = true;
    logs.place = place_in(data_directory);
    return logs;
}

cli::PodLogs served_pod_logs(client::RemoteClient& client) {
    cli::PodLogs logs;
    logs.open = [&client](const Pod& pod, const PodLogOptions& options) {
        const client::ObjectName name(pod.metadata.namespace_, pod.metadata.name);
        return Result<std::unique_ptr<client::LogStream>>(client.open_log(name, options));
    };
    logs.splits_streams = false;
    return logs;
}

}  // namespace muster
