#include "node/logs/logs.h"

#include <algorithm>
#include <cstdlib>

#include "node/runtime/node_paths.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::ContainerStatus;
using api::core::Pod;

Error bad_log_request(std::string message) { return {Code::kBadRequest, std::move(message)}; }

Result<Text> choose_container(const Pod& pod, const Text& wanted) {
    const auto& spec = pod.spec;
    if (wanted.empty() && spec.containers.size() == 1 && spec.init_containers.empty()) return spec.containers[0].name;
    std::string names;
    for (const List<Container>* list : {&spec.containers, &spec.init_containers}) {
        for (const Container& container : *list) {
            if (!wanted.empty() && container.name == wanted) return wanted;
            names += (names.empty() ? "" : " ") + container.name.str();
        }
    }
    const std::string& name = pod.metadata.name.str();
    if (!wanted.empty()) return bad_log_request("container " + wanted.str() + " is not valid for pod " + name);
    return bad_log_request("a container name must be specified for pod " + name + ", choose one of: [" + names + ']');
}

const ContainerStatus* find_status(const Pod& pod, const Text& container) {
    for (const auto* list : {&pod.status.container_statuses, &pod.status.init_container_statuses})
        for (const ContainerStatus& status : *list)
            if (status.name == container) return &status;
    return nullptr;
}

// The run whose log it is, by its identity; empty when there is none.
Text run_of(const ContainerStatus& status, bool previous) {
    if (previous) return status.last_state.terminated ? status.last_state.terminated->container_id : Text();
    if (status.state.running) return status.container_id;
    if (status.state.terminated) return status.state.terminated->container_id;
    return status.last_state.terminated ? status.last_state.terminated->container_id : Text();
}

// An identity ends with the attempt's number.
RunKey key_of(const Pod& pod, const Text& container, std::string_view id) {
    return {pod.metadata.uid, container, std::atoi(std::string(id.substr(id.rfind('/') + 1)).c_str())};
}

std::optional<std::size_t> at_least_none(const std::optional<std::int64_t>& number) {
    if (!number) return {};
    return static_cast<std::size_t>(std::max<std::int64_t>(0, *number));
}

}  // namespace

Result<LogRequest> find_log(const Pod& pod, const api::core::PodLogOptions& options, const std::string& directory,
                            Instant now) {
    TRY_ASSIGN(const Text container, choose_container(pod, options.container));
    const ContainerStatus* status = find_status(pod, container);
    const Text run = status ? run_of(*status, options.previous) : Text();
    const std::string quoted = '"' + container.str() + "\" in pod \"" + pod.metadata.name.str() + '"';
    if (run.empty() && options.previous)
        return bad_log_request("previous terminated container " + quoted + " not found");
    if (run.empty()) {
        const bool waiting = status && status->state.waiting;
        return bad_log_request("container " + quoted + " is waiting to start: " +
                               (waiting ? status->state.waiting->reason.str() : "ContainerCreating"));
    }
    RunKey key = key_of(pod, container, run);
    LogRequest request;
    request.path = run_log(directory, key);
    request.key = std::move(key);
    // A run that is over says nothing more.
    request.follow = options.follow && !options.previous;
    request.selection.tail_lines = at_least_none(options.tail_lines);
    request.selection.limit_bytes = at_least_none(options.limit_bytes);
    request.selection.timestamps = options.timestamps;
    if (options.since_seconds) request.selection.since = now - std::chrono::seconds(*options.since_seconds);
    if (options.since_time) request.selection.since = options.since_time->instant();
    if (options.stream && *options.stream == "Stdout") request.selection.stream = "stdout";
    if (options.stream && *options.stream == "Stderr") request.selection.stream = "stderr";
    return request;
}

std::optional<RunKey> find_running(const Pod& pod, const Text& container) {
    const ContainerStatus* status = find_status(pod, container);
    if (!status || !status->state.running) return {};
    return key_of(pod, container, status->container_id);
}

}  // namespace muster::node
