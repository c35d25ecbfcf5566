#include "node/agent.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "base/intern.h"
#include "base/reached.h"
#include "node/pods/messages.h"
#include "node/pods/restart.h"
#include "node/pods/stop_signal.h"
#include "node/pods/vitals.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;
using client::ObjectName;

constexpr Duration kProblemRetry = 10s;
constexpr Duration kMountRetry = 2s;
constexpr Duration kNodeRetry = 100ms;
constexpr Duration kRestoredRetry = 1s;
// After this a start that is still under way is told as such.
constexpr Duration kStartTold = 100ms;
constexpr int kStartErrorCode = 128;
// As a kubelet gives to what it evicts at once.
constexpr Duration kEvictionGrace = 1s;
constexpr const char* kEvicted = "Evicted";
constexpr int kLostCode = 137;
constexpr int kSignalBase = 128;

Run as_run(const RunRecord& record) {
    Run run;
    run.attempt = record.key.attempt;
    run.started_at = record.started_at;
    run.ended_at = record.ended_at;
    switch (record.state) {
        case RunState::kIntended: run.state = Run::State::kStarting; break;
        case RunState::kRunning: run.state = Run::State::kRunning; break;
        case RunState::kEnded:
            run.state = Run::State::kEnded;
            run.exit_code = record.signal != 0 ? kSignalBase + record.signal : record.code;
            run.reason = intern(record.out_of_memory ? "OOMKilled" : run.exit_code == 0 ? "Completed" : "Error");
            break;
        case RunState::kNotStarted:
            run.state = Run::State::kEnded;
            run.started_at = Instant();
            run.exit_code = kStartErrorCode;
            run.reason = "StartError";
            run.message = "failed to start container: " + record.message;
            break;
        case RunState::kLost:
            REACHED("it is not known how a process ended");
            run.state = Run::State::kEnded;
            run.exit_code = kLostCode;
            run.reason = "ContainerStatusUnknown";
            run.message = "The container could not be located when the pod was terminated: " + record.message;
            break;
    }
    return run;
}

void take_run(ContainerRuns& runs, const Run& run) {
    if (!runs.now || run.attempt > runs.now->attempt) {
        if (runs.now) runs.before = *runs.now;
        runs.now = run;
    } else if (run.attempt == runs.now->attempt) {
        runs.now = run;
    } else if (run.attempt + 1 == runs.now->attempt) {
        runs.before = run;
    }
}

bool any_active(const RunsByContainer& runs) {
    for (const auto& [name, each] : runs)
        if (each.now && each.now->active()) return true;
    return false;
}

bool any_problem(const RunsByContainer& runs) {
    for (const auto& [name, each] : runs)
        if (each.problem) return true;
    return false;
}

bool is_init_container(const Pod& pod, const Text& name) {
    for (const Container& container : pod.spec.init_containers)
        if (container.name == name) return true;
    return false;
}

const Container* find_container_of(const Pod& pod, const Text& name) {
    for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers})
        for (const Container& container : *list)
            if (container.name == name) return &container;
    return nullptr;
}

std::string pod_label(const Pod& pod) {
    return pod.metadata.name.str() + '_' + pod.metadata.namespace_.str() + '(' + pod.metadata.uid.str() + ')';
}

}  // namespace

Agent::Agent(os::Loop& loop, client::Client& client, client::Metrics& metrics, const MakePodRuntime& make_runtime,
             AgentOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      registration_(loop, client, options_.nodes, options_.registration),
      recorder_(loop, client, "kubelet"),
      queue_(loop, client::QueueMetrics(metrics, "node_pods")),
      pods_(loop, client),
      node_objects_(loop, client),
      runtime_(make_runtime({loop, client, pods_, [this](const Pod& pod) { return is_ours(pod); },
                             [this](const Pod& pod, const char* reason, std::string message) {
                                 tell_pod(pod, true, reason, std::move(message));
                             }})),
      storage_(loop, *runtime_, [this](const PodRef& pod, const std::string& why) { evict(pod, why); }),
      care_(loop, runtime_->actions(),
            {[this](const Pod& pod) { queue_.add(client::name_of(pod)); },
             [this](const Pod& pod, const Container& container, bool warning, const char* reason, std::string message) {
                 tell(pod, container.name, is_init_container(pod, container.name), warning, reason, std::move(message));
             }}),
      workers_(
          loop, queue_, options_.syncs_at_once_max, [this](ObjectName name) { return work_on(std::move(name)); },
          [this](const ObjectName& name, const std::string& why) { on_exception(name, why); }),
      tasks_(loop) {}

void Agent::start() {
    registration_.start();
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
    pods_.start();
    node_objects_.start();
    RunListener listener;
    listener.out_of_touch = [this] { on_touch_lost(); };
    listener.run = [this](const RunRecord& record) { on_run(record); };
    listener.in_touch = [this] { on_touch(); };
    listener.waits = [this](const RunKey& key, const std::string& why) { on_waits(key, why); };
    listener.notice = [this](const char* reason, const std::string& text) { on_notice(reason, text); };
    runtime_->begin(std::move(listener));
    workers_.start();
}

void Agent::on_pod(const PodRef& before, const PodRef& now) {
    const bool another = before && now && !(before->metadata.uid == now->metadata.uid);
    if (before && (!now || another)) pods_by_uid_.erase(before->metadata.uid);
    if (now) pods_by_uid_[now->metadata.uid] = now;
    if (before && (!now || another) && (is_ours(*before) || memory_.contains(before->metadata.uid)))
        forget_apart(before->metadata.uid);
    // At once: the scheduler gives the room away as soon as it sees the same.
    if (before && is_ours(*before) && (!now || another || has_ended(*now)))
        rooms_[before->spec.node_name].remove(before->metadata.uid);
    if (now && is_ours(*now) && !is_settled(*now)) queue_.add(client::name_of(*now));
}

Agent::PodRef Agent::find_pod(const Text& uid) const {
    const auto found = pods_by_uid_.find(uid);
    return found == pods_by_uid_.end() ? nullptr : found->second;
}

bool Agent::is_settled(const Pod& pod) const {
    if (!has_ended(pod) || pod.metadata.deletion_timestamp) return false;
    const auto found = memory_.find(pod.metadata.uid);
    return found != memory_.end() && !any_active(found->second->runs);
}

void Agent::forget_apart(const Text& pod_uid) {
    tasks_.spawn(os::apart(forget(pod_uid), "the removal of pod " + pod_uid.str()));
}

os::Task<void> Agent::forget(Text pod_uid) {
    // Its processes are ended for a deletion that a crash could still take back otherwise.
    while (!co_await confirm()) co_await os::sleep_for(loop_, kRestoredRetry);
    if (find_pod(pod_uid)) co_return;
    runtime_->forget(pod_uid);
    care_.forget(pod_uid);
    storage_.forget(pod_uid);
    const auto found = memory_.find(pod_uid);
    if (found == memory_.end()) co_return;
    runtime_->addresses().take_back(found->second->place.pod_ip);
    memory_.erase(found);
}

void Agent::on_run(const RunRecord& record) {
    MemoryRef& memory = memory_[record.key.pod_uid];
    if (!memory) memory = std::make_shared<Memory>();
    ContainerRuns& runs = memory->runs[record.key.container];
    // An end may be the first that is heard of a run.
    const bool was_starting = !runs.now || runs.now->attempt < record.key.attempt ||
                              (runs.now->attempt == record.key.attempt && runs.now->state == Run::State::kStarting);
    const PodRef pod = find_pod(record.key.pod_uid);
    Run run = as_run(record);
    if (record.state == RunState::kNotStarted && pod) {
        const Container* container = find_container_of(*pod, record.key.container);
        const std::string note = container ? runtime_->explain_not_started(*container) : std::string();
        if (!note.empty()) run.message = run.message.str() + ": " + note;
    }
    take_run(runs, run);
    if (memory->place.pod_ip.empty() && !record.pod_ip.empty()) {
        // Given by an agent before this one, whose first status of the pod need not have been stored.
        memory->place.pod_ip = record.pod_ip;
        runtime_->addresses().keep(record.pod_ip);
    }
    if (!record.active()) care_.end(record.key);
    if (!in_touch_ || !pod) return;
    const bool init = is_init_container(*pod, record.key.container);
    if (was_starting && (record.state == RunState::kRunning || record.state == RunState::kEnded))
        tell(*pod, record.key.container, init, false, "Started", "Container started");
    if (record.state == RunState::kNotStarted)
        tell(*pod, record.key.container, init, true, "Failed", "Error: " + runs.now->message.str());
    queue_.add(client::name_of(*pod));
}

void Agent::on_waits(const RunKey& key, const std::string& why) {
    if (const PodRef pod = find_pod(key.pod_uid))
        tell(*pod, key.container, is_init_container(*pod, key.container), true, "ContainerWaits", why);
}

void Agent::on_notice(const char* reason, const std::string& text) {
    os::report_failure(std::string("a check of the node (") + reason + ")", text);
    api::core::ObjectReference about;
    about.kind = "Node";
    about.api_version = "v1";
    about.name = about.uid = options_.nodes.front().name;
    recorder_.note(std::move(about), client::Note::warning(reason, text));
}

void Agent::on_touch_lost() {
    REACHED("the agent loses touch with what runs its processes");
    in_touch_ = false;
    ++touches_;
    // The runtime will report all runs again.
    for (auto& [uid, memory] : memory_) {
        for (auto& [container, runs] : memory->runs) {
            runs.now.reset();
            runs.before.reset();
            runs.term_sent = runs.kill_sent = -1;
        }
    }
}

void Agent::on_touch() {
    for (auto& [uid, memory] : memory_)
        for (auto& [container, runs] : memory->runs)
            if (runs.now && runs.backoff == Backoff())
                runs.backoff = rebuild_backoff(runs.now->attempt, std::max(runs.now->started_at, runs.now->ended_at));
    tasks_.spawn([](Agent* agent, std::uint64_t touch) -> os::Task<void> {
        co_await agent->pods_.wait_synced();
        co_await agent->node_objects_.wait_synced();
        if (agent->touches_ != touch) co_return;
        // Before any pod gets an address.
        agent->reserve_addresses();
        agent->take_begun();
        agent->in_touch_ = true;
        std::vector<Text> unknown;
        for (const auto& [uid, memory] : agent->memory_)
            if (!agent->find_pod(uid)) unknown.push_back(uid);
        for (const Text& uid : unknown) agent->forget_apart(uid);
        agent->forget_strays();
        for (const PodRef& pod : agent->pods_.all())
            if (agent->is_ours(*pod)) agent->queue_.add(client::name_of(*pod));
    }(this, ++touches_));
}

void Agent::reserve_addresses() {
    for (const PodRef& pod : pods_.all())
        if (is_ours(*pod) && !pod->status.pod_ip.empty()) runtime_->addresses().keep(pod->status.pod_ip);
}

void Agent::take_begun() {
    for (const PodRef& pod : pods_.all()) {
        if (!is_ours(*pod) || has_ended(*pod)) continue;
        const auto known = memory_.find(pod->metadata.uid);
        const bool runs = known != memory_.end() && !known->second->runs.empty();
        if (runs || pod->status.start_time) take(*pod, *memory_of(*pod));
    }
}

void Agent::take(const Pod& pod, Memory& memory) {
    if (std::exchange(memory.taken, true)) return;
    rooms_[pod.spec.node_name].add(pod);
}

Result<std::optional<PodRefusal>> Agent::check_admission(const Pod& pod) const {
    const auto node = node_objects_.get(ObjectName({}, pod.spec.node_name));
    if (!node) return Error{Code::kUnavailable, "the Node is not there yet"};
    static const TakenRoom kNone;
    const auto room = rooms_.find(pod.spec.node_name);
    return check_pod_admission(pod, *node, room == rooms_.end() ? kNone : room->second);
}

os::Task<bool> Agent::reject(PodRef pod, MemoryRef memory, Text reason, Text message) {
    tell_pod(*pod, true, reason.str().c_str(), message.str());
    Pod draft = *pod;
    draft.status.phase = "Failed";
    draft.status.reason = reason;
    draft.status.message = "Pod was rejected: " + message.str();
    draft.status.observed_generation = pod->metadata.generation;
    if (!draft.status.start_time) draft.status.start_time = api::Time::from_instant(loop_.now());
    co_return co_await write_status(pod, memory, std::move(draft));
}

void Agent::evict(const PodRef& pod, const std::string& why) {
    storage_.forget(pod->metadata.uid);
    const auto found = memory_.find(pod->metadata.uid);
    if (found == memory_.end() || !any_active(found->second->runs)) return;
    if (found->second->stop && !found->second->stop->reason.empty()) return;
    found->second->stop = Stop{loop_.now(), kEvictionGrace, kEvicted, why};
    tell_pod(*pod, true, kEvicted, why);
    queue_.add(client::name_of(*pod));
}

// A pod that was removed while no agent ran may have left its volumes.
void Agent::forget_strays() {
    for (const Text& uid : runtime_->list_pods())
        if (!find_pod(uid)) forget_apart(uid);
}

NodeFacts Agent::facts_of(const Pod& pod) const {
    const NodeDescription& node = *registration_.find(pod.spec.node_name);
    return NodeFacts(node.name, node.host_ip, node.cpu, node.memory);
}

Agent::MemoryRef Agent::memory_of(const Pod& pod) {
    MemoryRef& memory = memory_[pod.metadata.uid];
    if (!memory) memory = std::make_shared<Memory>();
    if (memory->place.host_ip.empty()) {
        const NodeDescription& node = *registration_.find(pod.spec.node_name);
        memory->place.host_ip = node.host_ip;
        memory->place.taken_at = loop_.now();
        if (pod.spec.host_network)
            memory->place.pod_ip = node.host_ip;
        else if (!pod.status.pod_ip.empty())
            memory->place.pod_ip = pod.status.pod_ip;
        else if (memory->place.pod_ip.empty())
            memory->place.pod_ip = runtime_->addresses().give();
        runtime_->addresses().keep(memory->place.pod_ip);
        // A status of ours that was stored before this process began.
        memory->durable = pod.status.start_time.has_value();
    }
    return memory;
}

os::Task<client::Worked> Agent::work_on(ObjectName name) {
    const bool ok = co_await sync(std::move(name));
    co_return ok ? client::Worked::kDone : client::Worked::kRetry;
}

void Agent::on_exception(const ObjectName& name, const std::string& why) {
    os::report_failure("pod " + client::format_name(name), why);
    if (const PodRef pod = pods_.get(name)) tell_pod(*pod, true, "FailedSync", "error syncing pod: " + why);
}

os::Task<bool> Agent::sync(ObjectName name) {
    if (!in_touch_) co_return true;  // looked at again when it is
    const PodRef pod = pods_.get(name);
    if (!pod || !is_ours(*pod)) co_return true;
    const MemoryRef memory = memory_of(*pod);
    // The mirror lags behind our own status, and moves.
    if (memory->written.epoch == pods_.epoch() &&
        client::parse_version(pod->metadata.resource_version) < memory->written.version)
        co_return true;
    if (has_ended(*pod) && !pod->metadata.deletion_timestamp && !any_active(memory->runs)) co_return true;
    if (!memory->taken && memory->runs.empty() && !pod->metadata.deletion_timestamp && !has_ended(*pod)) {
        const auto refusal = check_admission(*pod);
        if (!refusal.ok()) {
            queue_.add_after(name, kNodeRetry);
            co_return true;
        }
        if (*refusal) co_return co_await reject(pod, memory, (*refusal)->reason, (*refusal)->message);
    }
    if (!has_ended(*pod)) take(*pod, *memory);
    if (any_active(memory->runs)) {
        runtime_->adopt(pod, facts_of(*pod), memory->place.pod_ip);
        if (!memory->stop) storage_.watch(pod);
    }
    co_return co_await sync_pod(pod, memory);
}

os::Task<bool> Agent::confirm() {
    const std::uint64_t seen = pods_.version();
    const std::uint64_t written = co_await registration_.settle();
    if (written <= seen) REACHED("an agent sees that the server's data was restored before its mirror does");
    co_return written > seen;
}

os::Task<bool> Agent::sync_pod(PodRef pod, MemoryRef memory) {
    take_messages(*pod, memory->runs, [&](const Container& container, int attempt, int exit_code) {
        return runtime_->read_message(container, {pod->metadata.uid, container.name, attempt}, exit_code);
    });
    care_.attend(pod, memory->runs, memory->place.pod_ip, pod->metadata.deletion_timestamp || memory->stop);
    const PodView view{*pod, memory->runs, memory->stop, loop_.now()};
    const PodPlan plan = decide_pod(view);
    if (plan.stop) memory->stop = plan.stop;
    if (plan.wake_at) queue_.add_after(client::name_of(*pod), *plan.wake_at - loop_.now());
    if (!plan.start.empty() && !memory->durable) {
        // The binding is, from here on. Pods that arrive together share this wait.
        memory->durable = co_await confirm();
        if (!memory->durable || !in_touch_ || pods_.get(client::name_of(*pod)) != pod) {
            // What was decided may be so no longer.
            queue_.add_after(client::name_of(*pod), memory->durable ? Duration() : kRestoredRetry);
            co_return true;
        }
    }
    if ((!plan.signal.empty() || !plan.pre_stop.empty()) && !co_await confirm()) {
        queue_.add_after(client::name_of(*pod), kRestoredRetry);
        co_return true;
    }
    for (const HookStep& step : plan.pre_stop) {
        tell_killing(*pod, *memory, step.container);
        care_.begin_stop({pod->metadata.uid, step.container, step.attempt});
    }
    for (const SignalStep& step : plan.signal) signal_container(*pod, *memory, step);
    for (const StartStep& step : plan.start) co_await start_container(pod, memory, step);
    if (!plan.start.empty() && !any_problem(memory->runs)) {
        // What has just been asked for says more of itself in a moment: that it runs, or that it is over already.
        queue_.add_after(client::name_of(*pod), kStartTold);
        co_return true;
    }
    tell_backoffs({*pod, memory->runs, memory->stop, loop_.now()}, *memory);
    if (!co_await store_status(pod, memory, plan.ended)) co_return false;
    if (!plan.ended || !pod->metadata.deletion_timestamp) co_return true;
    // We have deleted the pod already; a finalizer keeps it.
    if (pod->metadata.deletion_grace_period_seconds == 0 && !pod->metadata.finalizers.empty()) co_return true;
    client::Removal removal(pod->metadata.uid);
    removal.grace_seconds = 0;
    const Result<void> removed = co_await client_.remove<Pod>(client::name_of(*pod), std::move(removal));
    const bool gone =
        !removed.ok() && (removed.error().code == Code::kNotFound || removed.error().code == Code::kConflict);
    co_return removed.ok() || gone;
}

os::Task<bool> Agent::store_status(PodRef pod, MemoryRef memory, bool ended) {
    const PodView view{*pod, memory->runs, memory->stop, loop_.now()};
    api::core::PodStatus status = make_pod_status(view, memory->place, ended);
    if (status == pod->status) co_return true;
    Pod draft = *pod;
    draft.status = std::move(status);
    co_return co_await write_status(pod, memory, std::move(draft));
}

os::Task<bool> Agent::write_status(PodRef pod, MemoryRef memory, Pod draft) {
    const std::uint64_t epoch = pods_.epoch();
    const Result<PodRef> stored = co_await client_.change_status<Pod>(pod, std::move(draft));
    if (stored.ok()) memory->written = {client::parse_version((*stored)->metadata.resource_version), epoch};
    co_return stored.ok() || stored.error().code == Code::kNotFound;
}

os::Task<void> Agent::start_container(PodRef pod, MemoryRef memory, StartStep step) {
    const Text& name = step.container->name;
    ContainerStart start(pod, *step.container, step.attempt, facts_of(*pod), memory->place.pod_ip);
    const RunKey key = start.key();
    auto created = co_await runtime_->create(std::move(start));
    // This may take a while, and a pod that is gone by then, or is to go, must not start.
    const PodRef latest = pods_.get(client::name_of(*pod));
    if (!latest || !(latest->metadata.uid == pod->metadata.uid)) {
        forget_apart(pod->metadata.uid);
        co_return;
    }
    if (latest->metadata.deletion_timestamp) co_return;
    ContainerRuns& runs = memory->runs[name];
    const Obstacle* const obstacle = std::get_if<Obstacle>(&created);
    if (obstacle && obstacle->kind != Obstacle::Kind::kContainer) {
        // A volume is missing, or the like, which says nothing of the container.
        const std::string& why = obstacle->why;
        const bool mount = obstacle->kind == Obstacle::Kind::kVolume;
        if (!runs.problem || !(memory->told_mount == why))
            tell_pod(*pod, true, mount ? "FailedMount" : "FailedCreatePodSandBox", why);
        memory->told_mount = why;
        const char* reason = pod->spec.init_containers.empty() ? "ContainerCreating" : "PodInitializing";
        runs.problem = Problem{reason, {}, loop_.now() + kMountRetry};
        queue_.add_after(client::name_of(*pod), kMountRetry);
        co_return;
    }
    if (obstacle) {
        const std::string& why = obstacle->why;
        const bool told = runs.problem && runs.problem->message == why;
        runs.problem = Problem{"CreateContainerConfigError", why, loop_.now() + kProblemRetry};
        queue_.add_after(client::name_of(*pod), kProblemRetry);
        if (!told) tell(*pod, name, step.init, true, "Failed", "Error: " + why);
        co_return;
    }
    // The connection to the runtime may have been lost meanwhile. Then a later sync decides again.
    if (!in_touch_ || (runs.now && runs.now->attempt >= step.attempt)) co_return;
    runs.problem.reset();
    if (runs.now) runs.backoff = next_backoff(runs.backoff, runs.now->ended_at, loop_.now());
    Run run;
    run.attempt = step.attempt;
    take_run(runs, run);
    tell(*pod, name, step.init, false, "Created", "Container created");
    if (runtime_->actions() && needs_care(*step.container)) care_.expect(key);
    std::get<std::unique_ptr<CreatedContainer>>(created)->start();
}

void Agent::signal_container(const Pod& pod, Memory& memory, const SignalStep& step) {
    ContainerRuns& runs = memory.runs[step.container];
    const Container* container = find_container_of(pod, step.container);
    // It was told when the hook began.
    const bool hooked = runs.vitals.attempt == step.attempt && runs.vitals.stop_begun && container &&
                        has_pre_stop(*container) && runtime_->actions();
    if (runs.term_sent != step.attempt && runs.kill_sent != step.attempt && !hooked)
        tell_killing(pod, memory, step.container);
    (step.kill ? runs.kill_sent : runs.term_sent) = step.attempt;
    if (!step.kill) runs.term_at = loop_.now();
    const int number = step.kill ? os::kKillSignal : container ? stop_signal(*container) : os::kTermSignal;
    runtime_->signal({pod.metadata.uid, step.container, step.attempt}, number);
}

void Agent::tell_killing(const Pod& pod, const Memory& memory, const Text& container) {
    const auto found = memory.runs.find(container);
    const Doom* doom = found == memory.runs.end() ? nullptr : find_doom(found->second);
    tell(pod, container, is_init_container(pod, container), false, "Killing",
         doom ? doom->message.str() : "Stopping container " + container.str());
}

void Agent::tell_backoffs(const PodView& view, Memory& memory) {
    for (auto& [name, runs] : memory.runs) {
        if (!runs.now || runs.now->active() || runs.problem || view.stop) continue;
        const bool init = is_init_container(view.pod, name);
        const auto& list = init ? view.pod.spec.init_containers : view.pod.spec.containers;
        for (const Container& container : list) {
            if (!(container.name == name) || !restarts(view.pod, container, init, runs.now->exit_code)) continue;
            if (restart_at(runs.backoff, runs.now->ended_at) <= view.now) continue;
            if (std::exchange(runs.backoff_told, runs.now->attempt) == runs.now->attempt) continue;
            tell(view.pod, name, init, true, "BackOff",
                 "Back-off restarting failed container " + name.str() + " in pod " + pod_label(view.pod));
        }
    }
}

void Agent::tell_pod(const Pod& pod, bool warning, const char* reason, std::string message) {
    recorder_.note(pod, client::Note::of(warning, reason, std::move(message)));
}

void Agent::tell(const Pod& pod, const Text& container, bool init, bool warning, const char* reason,
                 std::string message) {
    auto about = client::Recorder::reference_to(api::kind_info<Pod>(), pod.metadata);
    about.field_path = (init ? "spec.initContainers{" : "spec.containers{") + container.str() + '}';
    recorder_.note(std::move(about), client::Note::of(warning, reason, std::move(message)));
}

}  // namespace muster::node
