#include "node/pods/care.h"

#include <algorithm>

#include "node/environment/expansion.h"
#include "node/pods/restart.h"
#include "node/pods/status.h"
#include "node/pods/vitals.h"
#include "os/loop/guard.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::ContainerStatus;
using api::core::Pod;
using api::core::Probe;

constexpr int kTimeoutDefault = 1;
constexpr const char* kHookAgent = "kube-lifecycle/1.36";

const ContainerStatus* find_told(const Pod& pod, const Container& container, bool init, int attempt) {
    const auto& list = init ? pod.status.init_container_statuses : pod.status.container_statuses;
    const Text id = container_id(pod.metadata.uid, container.name, attempt);
    for (const ContainerStatus& each : list)
        if (each.name == container.name && each.container_id == id && each.state.running) return &each;
    return nullptr;
}

Duration timeout_of(const Probe& probe) {
    return std::chrono::seconds(probe.timeout_seconds > 0 ? probe.timeout_seconds : kTimeoutDefault);
}

Result<Action> probe_action(const Container& container, const Probe& probe) {
    Action action(probe.handler);
    if (!action.exec) return action;
    TRY_ASSIGN(const std::vector<std::string> words, expand_probe_command(container, action.exec->command));
    action.exec.edit().command = List<Text>(std::vector<Text>(words.begin(), words.end()));
    return action;
}

Vitals well(int attempt) {
    Vitals vitals;
    vitals.attempt = attempt;
    vitals.hooked = vitals.started = vitals.ready = vitals.stop_begun = vitals.stop_hooked = true;
    return vitals;
}

}  // namespace

struct Care::Patient {
    Patient(os::Loop& loop, PodRef whose, const Container& which, bool is_init, const Run& run, const Text& pod_ip)
        : pod(std::move(whose)),
          container(which),
          init(is_init),
          started_at(run.started_at),
          target({pod->metadata.uid, which.name, run.attempt}, pod_ip, which.ports),
          changed(loop),
          tasks(loop) {
        vitals.attempt = run.attempt;
        if (!which.working_dir.empty()) target.directory = which.working_dir;
    }

    PodRef pod;  // the latest
    const Container container;
    const bool init;
    const Instant started_at;
    ActionTarget target;
    bool stopping = false;
    Vitals vitals;
    os::Event changed;    // vitals or stopping
    os::TaskScope tasks;  // last: they use the rest
};

Care::Care(os::Loop& loop, Actions* actions, Listener listener)
    : loop_(loop), actions_(actions), listener_(std::move(listener)) {}

Care::~Care() = default;

void Care::attend(const PodRef& pod, RunsByContainer& runs, const Text& pod_ip, bool stopping) {
    for (const bool init : {true, false}) {
        const auto& list = init ? pod->spec.init_containers : pod->spec.containers;
        for (const Container& container : list) {
            if (!needs_care(container)) continue;
            const auto found = runs.find(container.name);
            if (found == runs.end() || !found->second.now || found->second.now->state != Run::State::kRunning) continue;
            const RunKey key{pod->metadata.uid, container.name, found->second.now->attempt};
            if (!actions_) {
                found->second.vitals = well(key.attempt);
                continue;
            }
            if (!patients_.contains(key)) admit(pod, container, init, *found->second.now, pod_ip);
            Patient& patient = *patients_.at(key);
            patient.pod = pod;
            if (stopping && !patient.stopping) {
                patient.stopping = true;
                patient.changed.notify();
            }
            found->second.vitals = patient.vitals;
        }
    }
}

void Care::admit(const PodRef& pod, const Container& container, bool init, const Run& run, const Text& pod_ip) {
    const RunKey key{pod->metadata.uid, container.name, run.attempt};
    auto& patient = patients_[key];
    patient = std::make_unique<Patient>(loop_, pod, container, init, run, pod_ip);
    const bool ours = expected_.erase(key) != 0;
    if (const ContainerStatus* told = find_told(*pod, container, init, run.attempt)) {
        patient->vitals.started = told->started.value_or(false);
        patient->vitals.ready = told->ready;
    }
    const bool hook = ours && container.lifecycle && container.lifecycle->post_start;
    patient->vitals.hooked = !hook;
    patient->tasks.spawn(os::apart(begin(patient.get(), hook), "the start of " + pod->metadata.name.str()));
}

os::Task<void> Care::begin(Patient* patient, bool hook) {
    if (hook) {
        Action action(*patient->container.lifecycle->post_start);
        ActionTarget target = patient->target;
        target.agent = kHookAgent;
        const ActionResult result = co_await actions_->act(std::move(action), std::move(target), Duration());
        if (!result.ok()) {
            // What went wrong may hold secrets of the hook's.
            listener_.tell(*patient->pod, patient->container, true, "FailedPostStartHook", "PostStartHook failed");
            patient->vitals.doom = doom_by_hook(*patient->pod, loop_.now());
            listener_.changed(*patient->pod);
            co_return;
        }
        patient->vitals.hooked = true;
        listener_.changed(*patient->pod);
    }
    // Init containers that are no sidecars have no probes.
    if (patient->init && !is_sidecar(patient->container)) co_return;
    for (const ProbeKind kind : {ProbeKind::kStartup, ProbeKind::kLiveness, ProbeKind::kReadiness})
        if (find_probe(patient->container, kind))
            patient->tasks.spawn(os::apart(probe(patient, kind), "a probe of " + patient->pod->metadata.name.str()));
}

bool Care::may_ask(const Patient& patient, ProbeKind kind) const {
    if (kind != ProbeKind::kReadiness && patient.stopping) return false;
    if (kind == ProbeKind::kStartup) return true;
    return patient.vitals.started || !patient.container.startup_probe;
}

os::Task<void> Care::probe(Patient* patient, ProbeKind kind) {
    const Probe& spec = *find_probe(patient->container, kind);
    ProbeState state = first_probe_state(kind);
    if (kind == ProbeKind::kStartup && patient->vitals.started) co_return;
    if (kind == ProbeKind::kReadiness && patient->vitals.ready) state.verdict = ProbeVerdict::kPassed;
    std::optional<Instant> asked;
    while (!is_settled(kind, state)) {
        while (!may_ask(*patient, kind)) co_await patient->changed.wait();
        const Instant next = next_probe_at(spec, patient->started_at, asked, loop_.now());
        if (next > loop_.now()) {
            co_await os::sleep_for(loop_, next - loop_.now());
            if (!may_ask(*patient, kind)) continue;
        }
        asked = loop_.now();
        ActionResult result;
        Result<Action> action = probe_action(patient->container, spec);
        if (action.ok()) {
            ActionTarget target = patient->target;
            result = co_await actions_->act(std::move(*action), std::move(target), timeout_of(spec));
        } else {
            result.kind = ActionResult::Kind::kError;
            result.output = action.error().message;
        }
        // One that is to end may fail as it likes.
        if (kind != ProbeKind::kReadiness && patient->stopping) co_return;
        take_answer(*patient, kind, result, state);
    }
}

void Care::take_answer(Patient& patient, ProbeKind kind, const ActionResult& result, ProbeState& state) {
    const std::string name = probe_name(kind);
    const Probe& spec = *find_probe(patient.container, kind);
    ProbeAnswer answer = ProbeAnswer::kSuccess;
    switch (result.kind) {
        case ActionResult::Kind::kSuccess: break;
        case ActionResult::Kind::kWarning:
            listener_.tell(*patient.pod, patient.container, true, "ProbeWarning",
                           name + " probe warning: " + result.output);
            break;
        case ActionResult::Kind::kFailure:
            answer = ProbeAnswer::kFailure;
            listener_.tell(*patient.pod, patient.container, true, "Unhealthy",
                           name + " probe failed: " + result.output);
            break;
        case ActionResult::Kind::kError:
            answer = ProbeAnswer::kUnknown;
            listener_.tell(*patient.pod, patient.container, true, "Unhealthy",
                           name + " probe errored and resulted in unknown state: " + result.output);
            break;
    }
    const ProbeState next = next_probe_state(spec, state, answer);
    const bool news = next.verdict != state.verdict;
    state = next;
    if (news) take_verdict(patient, kind, state);
}

void Care::take_verdict(Patient& patient, ProbeKind kind, const ProbeState& state) {
    const bool passed = state.verdict == ProbeVerdict::kPassed;
    if (kind == ProbeKind::kReadiness) patient.vitals.ready = passed;
    if (kind == ProbeKind::kStartup) patient.vitals.started = passed;
    if (kind != ProbeKind::kReadiness && !passed && !patient.vitals.doom)
        patient.vitals.doom = doom_by_probe(*patient.pod, patient.container, patient.init, kind, loop_.now());
    patient.changed.notify();
    listener_.changed(*patient.pod);
}

void Care::begin_stop(const RunKey& key) {
    const auto found = patients_.find(key);
    if (found == patients_.end() || found->second->vitals.stop_begun) return;
    found->second->vitals.stop_begun = true;
    found->second->tasks.spawn(
        os::apart(hold(found->second.get()), "the preStop hook of " + found->second->pod->metadata.name.str()));
}

// Holds the container's end up until its preStop hook is done.
os::Task<void> Care::hold(Patient* patient) {
    Action action(*patient->container.lifecycle->pre_stop);
    ActionTarget target = patient->target;
    target.agent = kHookAgent;
    const ActionResult result = co_await actions_->act(std::move(action), std::move(target), Duration());
    if (!result.ok())
        listener_.tell(*patient->pod, patient->container, true, "FailedPreStopHook", "PreStopHook failed");
    patient->vitals.stop_hooked = true;
    listener_.changed(*patient->pod);
}

void Care::end(const RunKey& key) {
    expected_.erase(key);
    patients_.erase(key);
}

void Care::forget(const Text& pod_uid) {
    erase_runs_of(patients_, pod_uid);
    erase_runs_of(expected_, pod_uid);
}

}  // namespace muster::node
