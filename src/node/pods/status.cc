#include "node/pods/status.h"

#include <algorithm>
#include <vector>

#include "api/kinds/conditions.h"
#include "api/kinds/core/pod_phase.h"
#include "node/pods/restart.h"
#include "node/pods/vitals.h"

namespace muster::node {
namespace {

using api::Time;
using api::core::Container;
using api::core::ContainerState;
using api::core::ContainerStateTerminated;
using api::core::ContainerStatus;
using api::core::Pod;
using api::core::PodStatus;

constexpr int kLostExitCode = 137;
constexpr int kDoomedExitCode = 1;  // one that had to end is no success, whatever its code says

std::string format_names(const std::vector<Text>& names) {
    std::string out = "[";
    for (const Text& name : names) out += (out.size() > 1 ? " " : "") + name.str();
    return out + ']';
}

std::string format_seconds(Duration span) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
    if (seconds < 60) return std::to_string(seconds) + 's';
    return std::to_string(seconds / 60) + 'm' + std::to_string(seconds % 60) + 's';
}

// Whether the run was to be followed by another, had the pod not ended.
struct Subject {
    const Container& container;
    bool init;
};

class StatusMaker {
public:
    StatusMaker(const PodView& view, const PodPlace& place, bool ended)
        : view_(view), place_(place), ended_(ended), pod_(view.pod) {}

    PodStatus make() {
        PodStatus status = pod_.status;
        status.observed_generation = pod_.metadata.generation;
        status.host_ip = place_.host_ip;
        status.host_ips = List<api::core::HostIP>{{.ip = place_.host_ip}};
        status.pod_ip = place_.pod_ip;
        if (!place_.pod_ip.empty()) status.pod_ips = List<api::core::PodIP>{{.ip = place_.pod_ip}};
        if (!status.start_time) status.start_time = Time::from_instant(place_.taken_at);
        status.init_container_statuses = statuses_of(pod_.spec.init_containers, true);
        status.container_statuses = statuses_of(pod_.spec.containers, false);
        set_phase(status);
        set_conditions(status);
        return status;
    }

private:
    // Containers wait for init containers, not for their making, while there are any.
    bool initializing() const {
        const auto& inits = pod_.spec.init_containers;
        return std::any_of(inits.begin(), inits.end(), [&](const Container& each) { return is_incomplete(each); });
    }
    // A sidecar that is restarted later on does not undo what was done.
    bool is_incomplete(const Container& init_container) const {
        const ContainerRuns& runs = view_.runs_of(init_container.name);
        if (!is_sidecar(init_container)) return !(runs.now && !runs.now->active() && runs.now->exit_code == 0);
        return !is_started(init_container, runs) && !any_container_ran();
    }
    bool any_container_ran() const {
        const auto& containers = pod_.spec.containers;
        return std::any_of(containers.begin(), containers.end(),
                           [&](const Container& each) { return view_.runs_of(each.name).now.has_value(); });
    }

    ContainerStateTerminated terminated(const Container& container, const Run& run) const {
        ContainerStateTerminated end;
        end.exit_code = run.exit_code;
        end.reason = run.reason;
        end.message = run.message;
        end.started_at = Time::from_instant(run.started_at);
        end.finished_at = Time::from_instant(run.ended_at);
        end.container_id = container_id(pod_.metadata.uid, container.name, run.attempt);
        return end;
    }

    void wait(ContainerState& state, const Text& reason, const Text& message = {}) const {
        state = ContainerState();
        state.waiting.edit().reason = reason;
        state.waiting.edit().message = message;
    }

    void set_ended(const Subject& subject, const ContainerRuns& runs, ContainerStatus& status) const {
        const Run& run = *runs.now;
        const int code = find_doom(runs) ? kDoomedExitCode : run.exit_code;
        const bool again = !ended_ && !stopping() && restarts(pod_, subject.container, subject.init, code);
        const bool held_up = again && (runs.problem || restart_at(runs.backoff, run.ended_at) > view_.now);
        if (!held_up) {
            status.state.terminated = terminated(subject.container, run);
            return;
        }
        status.last_state.terminated = terminated(subject.container, run);
        if (runs.problem) return wait(status.state, runs.problem->reason, runs.problem->message);
        wait(status.state, "CrashLoopBackOff",
             "back-off " + format_seconds(runs.backoff.delay) +
                 " restarting failed container=" + subject.container.name.str() + " pod=" + pod_.metadata.name.str() +
                 '_' + pod_.metadata.namespace_.str() + '(' + pod_.metadata.uid.str() + ')');
    }

    void set_never_ran(const Subject& subject, const ContainerRuns& runs, ContainerStatus& status) const {
        // A pod that has not got through its init containers never came to this one.
        if (ended_ && !subject.init && !initializing()) {
            auto& end = status.state.terminated.edit();
            end.exit_code = kLostExitCode;
            end.reason = "ContainerStatusUnknown";
            end.message = "The container could not be located when the pod was terminated";
            return;
        }
        if (runs.problem) return wait(status.state, runs.problem->reason, runs.problem->message);
        const bool behind_init = subject.init || initializing();
        wait(status.state, behind_init && !pod_.spec.init_containers.empty() ? "PodInitializing" : "ContainerCreating");
    }

    ContainerStatus status_of(const Subject& subject) const {
        const ContainerRuns& runs = view_.runs_of(subject.container.name);
        ContainerStatus status;
        status.name = subject.container.name;
        status.image = subject.container.image;
        status.image_id = "";
        status.started = false;
        if (runs.before) status.last_state.terminated = terminated(subject.container, *runs.before);
        if (!runs.now) {
            // An end that was told is final, also when the node no longer knows of it: a Job decides by its exit code.
            const ContainerStatus* told = has_ended(pod_) ? told_of(subject) : nullptr;
            if (told && told->state.terminated) return *told;
            set_never_ran(subject, runs, status);
            return status;
        }
        // What was last told of a container stands until it runs again.
        if (runs.now->state == Run::State::kStarting && runs.before)
            if (const ContainerStatus* told = told_of(subject)) return *told;
        status.restart_count = runs.now->attempt;
        status.container_id = container_id(pod_.metadata.uid, subject.container.name, runs.now->attempt);
        switch (runs.now->state) {
            case Run::State::kStarting: wait(status.state, "ContainerCreating"); break;
            case Run::State::kRunning:
                // Until its postStart hook is done.
                if (!is_up(subject.container, runs)) {
                    if (const ContainerStatus* told = runs.before ? told_of(subject) : nullptr) return *told;
                    wait(status.state, "ContainerCreating");
                    break;
                }
                status.state.running.edit().started_at = Time::from_instant(runs.now->started_at);
                status.started = is_started(subject.container, runs);
                status.ready = (!subject.init || is_sidecar(subject.container)) && is_ready(subject.container, runs);
                if (const auto& lifecycle = subject.container.lifecycle) status.stop_signal = lifecycle->stop_signal;
                break;
            case Run::State::kEnded:
                set_ended(subject, runs, status);
                // An init container that has done its work is what is wanted of it.
                status.ready = subject.init && !is_sidecar(subject.container) && runs.now->exit_code == 0;
                break;
        }
        return status;
    }

    const ContainerStatus* told_of(const Subject& subject) const {
        const auto& list = subject.init ? pod_.status.init_container_statuses : pod_.status.container_statuses;
        for (const ContainerStatus& each : list)
            if (each.name == subject.container.name) return &each;
        return nullptr;
    }

    List<ContainerStatus> statuses_of(const List<Container>& containers, bool init) const {
        std::vector<ContainerStatus> statuses;
        for (const Container& container : containers) statuses.push_back(status_of({container, init}));
        return List<ContainerStatus>(std::move(statuses));
    }

    bool stopping() const { return pod_.metadata.deletion_timestamp.has_value() || view_.stop.has_value(); }

    Text phase_of(const PodStatus& status) const {
        std::size_t waiting = 0;
        std::size_t running = 0;
        std::size_t succeeded = 0;
        for (const ContainerStatus& each : status.container_statuses) {
            const auto& end = each.state.terminated;
            if (each.state.running) ++running;
            if (end && end->exit_code == 0) ++succeeded;
            if (each.state.waiting && !each.last_state.terminated) ++waiting;
        }
        if (ended_) {
            const bool init_done = !initializing();
            return init_done && succeeded == status.container_statuses.size() ? "Succeeded" : "Failed";
        }
        // What has run once does not go back to Pending between two attempts.
        const bool was_running = pod_.status.phase == "Running";
        if (initializing() || (waiting != 0 && !(was_running && running != 0)))
            return was_running ? "Running" : "Pending";
        return "Running";
    }

    void set_phase(PodStatus& status) const {
        if (has_ended(pod_)) return;
        status.phase = phase_of(status);
        if (ended_ && view_.stop && !view_.stop->reason.empty()) {
            status.phase = "Failed";
            status.reason = view_.stop->reason;
            status.message = view_.stop->message;
        }
    }

    void set_condition(PodStatus& status, const char* type, bool holds, std::string_view reason = {},
                       std::string_view message = {}) const {
        api::set_condition(status.conditions,
                           {type, api::condition_status(holds), reason, message, pod_.metadata.generation},
                           Time::from_instant(view_.now));
    }

    void set_ready(PodStatus& status, const char* type) const {
        if (status.phase == "Succeeded") return set_condition(status, type, false, "PodCompleted");
        if (status.phase == "Failed") return set_condition(status, type, false, "PodFailed");
        std::vector<Text> unready;
        for (const ContainerStatus& each : status.init_container_statuses)
            if (each.restart_count >= 0 && is_sidecar_name(each.name) && !each.ready) unready.push_back(each.name);
        for (const ContainerStatus& each : status.container_statuses)
            if (!each.ready) unready.push_back(each.name);
        if (!unready.empty())
            return set_condition(status, type, false, "ContainersNotReady",
                                 "containers with unready status: " + format_names(unready));
        const std::string missing = type == std::string_view("Ready") ? missing_gates(status) : std::string();
        if (missing.empty()) return set_condition(status, type, true);
        set_condition(status, type, false, "ReadinessGatesNotReady", missing);
    }
    // Which further conditions, set by others, do not hold yet.
    std::string missing_gates(const PodStatus& status) const {
        std::string out;
        for (const auto& gate : pod_.spec.readiness_gates) {
            const auto* found = api::find_condition(status.conditions, gate.condition_type);
            const std::string name = '"' + gate.condition_type.str() + '"';
            std::string why;
            if (!found)
                why = "corresponding condition of pod readiness gate " + name + " does not exist.";
            else if (!(found->status == "True"))
                why = "the status of pod readiness gate " + name + " is not \"True\", but " + found->status.str();
            if (!why.empty()) out += (out.empty() ? "" : ", ") + why;
        }
        return out;
    }
    bool is_sidecar_name(const Text& name) const {
        for (const Container& container : pod_.spec.init_containers)
            if (container.name == name) return is_sidecar(container);
        return false;
    }

    void set_initialized(PodStatus& status) const {
        if (status.phase == "Succeeded") return set_condition(status, "Initialized", true, "PodCompleted");
        std::vector<Text> incomplete;
        for (const Container& container : pod_.spec.init_containers)
            if (is_incomplete(container)) incomplete.push_back(container.name);
        if (incomplete.empty()) return set_condition(status, "Initialized", true);
        set_condition(status, "Initialized", false, "ContainersNotInitialized",
                      "containers with incomplete status: " + format_names(incomplete));
    }

    void set_conditions(PodStatus& status) const {
        const bool over = has_ended(status);
        set_condition(status, "PodReadyToStartContainers", !over);
        set_initialized(status);
        set_ready(status, "Ready");
        set_ready(status, "ContainersReady");
        set_condition(status, "PodScheduled", true);
    }

    const PodView& view_;
    const PodPlace& place_;
    const bool ended_;
    const Pod& pod_;
};

}  // namespace

Text container_id(const Text& pod_uid, const Text& container, int attempt) {
    return "muster://" + pod_uid.str() + '/' + container.str() + '/' + std::to_string(attempt);
}

PodStatus make_pod_status(const PodView& view, const PodPlace& place, bool ended) {
    return StatusMaker(view, place, ended).make();
}

}  // namespace muster::node
