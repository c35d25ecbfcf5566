// Pods. STATUS is one word for what a person would want to know first: what the containers wait for or died of, how
// far initialisation has come, that the pod is going away.
#include <algorithm>

#include "api/kinds/core/pod.h"
#include "api/kinds/core/pod_phase.h"
#include "server/table/print.h"

namespace muster::server {
namespace {

using api::Time;
using api::core::Container;
using api::core::ContainerStateTerminated;
using api::core::ContainerStatus;
using api::core::Pod;

constexpr Column kPodColumns[] = {
    kNameColumn,
    {"Ready", "string", "How many of the pod's containers are ready, of how many."},
    {"Status", "string", "What the pod is doing, or what keeps it from doing it, in one word."},
    {"Restarts", "string", "How often containers of the pod were restarted, and when the last one ended."},
    kAgeColumn,
    {"IP", "string", "Address of the pod.", 1},
    {"Node", "string", "Node the pod was placed on.", 1},
    {"Nominated Node", "string", "Node where room is being made for the pod.", 1},
    {"Readiness Gates", "string", "How many of the pod's readiness gates are met, of how many.", 1},
};

struct Restarts {
    std::int64_t count = 0;
    Time last;

    void add(const ContainerStatus& status) {
        count += status.restart_count;
        if (status.last_state.terminated) last = std::max(last, status.last_state.terminated->finished_at);
    }
    std::string text(const Row& row) const {
        std::string text = std::to_string(count);
        if (count != 0 && last) text += " (" + row.since_text(last) + " ago)";
        return text;
    }
};

struct Summary {
    std::string status;
    std::int64_t ready = 0;
    std::int64_t total = 0;
    Restarts restarts;
};

bool is_sidecar(const Pod& pod, std::string_view name) {
    for (const Container& container : pod.spec.init_containers)
        if (container.name == name) return container.restart_policy && *container.restart_policy == "Always";
    return false;
}

bool holds(const Pod& pod, std::string_view type) {
    for (const auto& condition : pod.status.conditions)
        if (condition.type == type) return condition.status == "True";
    return false;
}

std::string end_text(const ContainerStateTerminated& end) {
    if (!end.reason.empty()) return end.reason.str();
    if (end.signal != 0) return "Signal:" + std::to_string(end.signal);
    return "ExitCode:" + std::to_string(end.exit_code);
}

// Looks at the init containers in order, up to the first that holds the pod up. True when one does. Restarts of
// sidecars are also counted apart, as those go on counting afterwards.
bool summarize_init(const Pod& pod, Summary& summary, Restarts& sidecars) {
    for (std::size_t i = 0; i < pod.status.init_container_statuses.size(); ++i) {
        const ContainerStatus& status = pod.status.init_container_statuses[i];
        const bool sidecar = is_sidecar(pod, status.name);
        summary.restarts.add(status);
        if (sidecar) sidecars.add(status);
        const ContainerStateTerminated* end = status.state.terminated.get();
        if (end && end->exit_code == 0) continue;
        if (sidecar && status.started.value_or(false)) {
            summary.ready += status.ready ? 1 : 0;
            continue;
        }
        const auto* waiting = status.state.waiting.get();
        if (end) {
            summary.status = "Init:" + end_text(*end);
        } else if (waiting && !waiting->reason.empty() && waiting->reason != "PodInitializing") {
            summary.status = "Init:" + waiting->reason;
        } else {
            summary.status = "Init:" + std::to_string(i) + "/" + std::to_string(pod.spec.init_containers.size());
        }
        return true;
    }
    return false;
}

// From the last container to the first, so that the first one's word stands.
void summarize_main(const Pod& pod, Summary& summary) {
    bool some_run = false;
    std::string failure;
    for (std::size_t i = pod.status.container_statuses.size(); i-- > 0;) {
        const ContainerStatus& status = pod.status.container_statuses[i];
        summary.restarts.add(status);
        if (status.state.waiting && !status.state.waiting->reason.empty()) {
            summary.status = status.state.waiting->reason.str();
        } else if (status.state.terminated) {
            summary.status = end_text(*status.state.terminated);
            if (status.state.terminated->exit_code != 0) failure = summary.status;
        } else if (status.ready && status.state.running) {
            some_run = true;
            ++summary.ready;
        }
    }
    if (summary.status != "Completed") return;
    // One container's end is not the pod's while others run.
    if (some_run && holds(pod, "Ready")) {
        summary.status = "Running";
    } else if (!failure.empty()) {
        summary.status = failure;
    } else if (some_run) {
        summary.status = "NotReady";
    }
}

Summary summarize(const Pod& pod) {
    Summary summary;
    summary.status = (pod.status.reason.empty() ? pod.status.phase : pod.status.reason).str();
    for (const auto& condition : pod.status.conditions)
        if (condition.type == "PodScheduled" && condition.reason == "SchedulingGated")
            summary.status = "SchedulingGated";
    summary.total = static_cast<std::int64_t>(pod.spec.containers.size());
    for (const Container& container : pod.spec.init_containers)
        if (container.restart_policy && *container.restart_policy == "Always") ++summary.total;

    Restarts sidecars;
    const bool initializing = summarize_init(pod, summary, sidecars);
    if (!initializing || holds(pod, "Initialized")) {
        summary.restarts = sidecars;
        summarize_main(pod, summary);
    }
    if (pod.metadata.deletion_timestamp) {
        const bool ended = has_ended(pod);
        if (pod.status.reason == "NodeLost") {
            summary.status = "Unknown";
        } else if (!ended) {
            summary.status = "Terminating";
        }
    }
    return summary;
}

std::string gates_text(const Pod& pod) {
    if (pod.spec.readiness_gates.empty()) return "<none>";
    const auto met = std::ranges::count_if(pod.spec.readiness_gates,
                                           [&](const auto& gate) { return holds(pod, gate.condition_type); });
    return std::to_string(met) + "/" + std::to_string(pod.spec.readiness_gates.size());
}

void print_pod(const Pod& pod, Row& row) {
    const Summary summary = summarize(pod);
    const std::string_view ip = pod.status.pod_ips.empty() ? pod.status.pod_ip : pod.status.pod_ips[0].ip;
    row.text(pod.metadata.name)
        .text(std::to_string(summary.ready) + "/" + std::to_string(summary.total))
        .text(summary.status)
        .text(summary.restarts.text(row))
        .age(pod.metadata.creation_timestamp)
        .text(or_else(ip, "<none>"))
        .text(or_else(pod.spec.node_name, "<none>"))
        .text(or_else(pod.status.nominated_node_name, "<none>"))
        .text(gates_text(pod));
    if (pod.status.phase == "Succeeded") {
        row.completed_reason = "Succeeded";
        row.completed_message = "The pod has completed successfully.";
    } else if (pod.status.phase == "Failed") {
        row.completed_reason = "Failed";
        row.completed_message = "The pod failed.";
    }
}

}  // namespace

Printer pod_printer() { return make_printer<Pod, print_pod>(kPodColumns); }

}  // namespace muster::server
