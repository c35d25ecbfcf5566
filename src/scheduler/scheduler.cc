#include "scheduler/scheduler.h"

#include <algorithm>

#include "api/kinds/conditions.h"
#include "api/kinds/core/pod_phase.h"
#include "base/reached.h"
#include "os/loop/guard.h"
#include "scheduler/scheduler_metrics.h"

namespace muster::scheduler {
namespace {

using api::core::Node;
using api::core::Pod;
using client::Note;

constexpr const char* kName = "default-scheduler";
constexpr Duration kTellPeriod = 1s;
constexpr Duration kVictimRetry = 1s;
constexpr int kMarkTries = 5;

bool is_ours(const Pod& pod) {
    const bool named = pod.spec.scheduler_name.empty() || pod.spec.scheduler_name == kName;
    return named && pod.spec.scheduling_gates.empty() && !pod.metadata.deletion_timestamp;
}

// Gives false when it said so already.
bool set_condition(Pod& pod, const char* type, bool holds, const char* reason, const std::string& message,
                   Instant now) {
    return api::set_condition(pod.status.conditions,
                              {type, api::condition_status(holds), reason, message, pod.metadata.generation},
                              api::Time::from_instant(now));
}

}  // namespace

Scheduler::Scheduler(os::Loop& loop, client::Client& client, client::Metrics& metrics, SchedulerOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(options),
      recorder_(loop, client, kName),
      pods_(loop, client),
      nodes_(loop, client),
      namespaces_(loop, client),
      budgets_(loop, client),
      queue_(options.queue),
      changed_(loop),
      tasks_(loop) {
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
    nodes_.on_change([this](const NodeRef& before, const NodeRef& now) { on_node(before, now); });
    namespaces_.on_change(
        [this](const client::Ref<Namespace>& before, const client::Ref<Namespace>& now) { on_namespace(before, now); });
}

Scheduler::~Scheduler() {
    if (timer_ != 0) loop_.cancel(timer_);
}

void Scheduler::start() {
    namespaces_.start();
    nodes_.start();
    budgets_.start();
    pods_.start();
    tasks_.spawn(run());
    tasks_.spawn(tell_waiting());
}

void Scheduler::wake(unsigned what) {
    happened_ |= what;
    changed_.notify();
}

void Scheduler::on_gone(const Text& uid) {
    queue_.remove(uid);
    binding_.erase(uid);
    if (snapshot_.remove_pod(uid)) wake(kWakeOnRoom);
}

void Scheduler::on_pod(const PodRef& before, const PodRef& now) {
    if (before && (!now || !(before->metadata.uid == now->metadata.uid))) on_gone(before->metadata.uid);
    if (!now) return;
    if (has_ended(*now)) return on_gone(now->metadata.uid);
    if (!now->spec.node_name.empty()) return on_assigned(before, now);
    if (binding_.contains(now->metadata.uid)) return;
    if (!is_ours(*now)) return queue_.remove(now->metadata.uid);
    queue_.set(now, snapshot_.shape_of(*now), loop_.uptime());
    changed_.notify();
}

void Scheduler::on_assigned(const PodRef& before, const PodRef& now) {
    const Text& uid = now->metadata.uid;
    queue_.remove(uid);
    binding_.erase(uid);
    const NodeInfo* was_on = snapshot_.node_of(uid);
    const bool moved = !was_on || !(was_on->name == now->spec.node_name);
    snapshot_.place(now, now->spec.node_name);
    const bool relabelled = before && !(before->metadata.labels == now->metadata.labels);
    const bool leaving = before && !before->metadata.deletion_timestamp && now->metadata.deletion_timestamp;
    if (moved || relabelled || leaving) wake(kWakeOnPlacement);
}

void Scheduler::on_node(const NodeRef& before, const NodeRef& now) {
    if (!now) return snapshot_.remove_node(before->metadata.name);
    if (snapshot_.set_node(now)) wake(kWakeOnNodes);
}

void Scheduler::on_namespace(const client::Ref<Namespace>& before, const client::Ref<Namespace>& now) {
    if (!now) return snapshot_.remove_namespace(before->metadata.name);
    snapshot_.set_namespace(now->metadata.name, now->metadata.labels);
    if (!before || !(before->metadata.labels == now->metadata.labels)) wake(kWakeOnPlacement);
}

os::Task<void> Scheduler::run() {
    // A world that is known in part would be filled wrongly.
    co_await namespaces_.wait_synced();
    co_await nodes_.wait_synced();
    co_await budgets_.wait_synced();
    co_await pods_.wait_synced();
    for (;;) {
        co_await wait_for_turn();
        const Duration began = loop_.uptime();
        run_round();
        // Others have their turn; and a cluster where much happens while much waits is not looked at all the time.
        const Duration took = loop_.uptime() - began;
        if (queue_.parked() > 0 && took > Duration(0))
            co_await os::sleep_for(loop_, took);
        else
            co_await os::yield(loop_);
    }
}

os::Task<void> Scheduler::wait_for_turn() {
    for (;;) {
        if (happened_ != 0) queue_.wake(std::exchange(happened_, 0), loop_.uptime());
        if (queue_.has_turn(loop_.uptime())) co_return;
        if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
        if (const auto due = queue_.next_due()) {
            timer_ = loop_.after(std::max(*due - loop_.uptime(), Duration(0)), [this] {
                timer_ = 0;
                changed_.notify();
            });
        }
        co_await changed_.wait();
    }
}

void Scheduler::run_round() {
    const Duration began = loop_.uptime();
    std::vector<PendingPod> turn = queue_.take(options_.round_max, began);
    const RoundView view{snapshot_, budgets_.all()};
    const RoundPlan plan = decide_round(view, std::move(turn));
    for (const Placement& placement : plan.place) {
        queue_.placed(placement.pod->metadata.uid);
        binding_.insert(placement.pod->metadata.uid);
        snapshot_.place(placement.pod, placement.node);
        spawn_for(placement.pod, bind(placement.pod, placement.node));
    }
    if (!plan.place.empty()) happened_ |= kWakeOnPlacement;
    for (const Refusal& refusal : plan.refuse) {
        queue_.refused(refusal, loop_.uptime());
        const bool nomination_changed = !(refusal.nominated_node == refusal.pod->status.nominated_node_name);
        if (!refusal.victims.empty() || nomination_changed) spawn_for(refusal.pod, make_room(refusal));
    }
    // Who tells them why may have looked before there were any.
    if (!plan.refuse.empty()) changed_.notify();
    const std::size_t attempts = plan.place.size() + plan.refuse.size();
    count_attempts(metrics_, plan.place.size(), plan.refuse.size(), loop_.uptime() - began);
    if (attempts > 0) show_queue();
}

// An exception of what is done for one pod costs that pod only.
void Scheduler::spawn_for(const PodRef& pod, os::Task<void> task) {
    tasks_.spawn(os::apart(std::move(task),
                           [pod] { return "the scheduling of " + client::format_name(client::name_of(*pod)); }));
}

os::Task<void> Scheduler::bind(PodRef pod, Text node) {
    const client::ObjectName name = client::name_of(*pod);
    const Result<void> bound = co_await client_.bind(name, pod->metadata.uid, node);
    if (bound.ok()) {
        ++bound_;
        if (options_.note_bindings)
            recorder_.note(
                *pod, Note::normal("Scheduled", "Successfully assigned " + client::format_name(name) + " to " + node));
        co_return;
    }
    count_errors(metrics_, 1);
    // If another scheduler has bound the pod meanwhile, it counts on its node, and nothing is given back.
    if (binding_.erase(pod->metadata.uid) == 0) co_return;
    REACHED("a binding fails, and its room is given back");
    snapshot_.remove_pod(pod->metadata.uid);
    wake(kWakeOnRoom);
    const PodRef now = pods_.get(name);
    const bool waits = now && now->metadata.uid == pod->metadata.uid && now->spec.node_name.empty() && is_ours(*now);
    if (!waits || has_ended(*now)) co_return;
    recorder_.note(*pod, Note::warning("FailedScheduling", "binding rejected: " + bound.error().message));
    queue_.failed(now, snapshot_.shape_of(*now), loop_.uptime());
    show_queue();
    changed_.notify();
}

// The nomination first: while victims leave, their room must be known to be promised.
os::Task<void> Scheduler::make_room(Refusal refusal) {
    co_await tell(refusal.pod, refusal.message, refusal.nominated_node);
    for (const PodRef& victim : refusal.victims) {
        if (victim->metadata.deletion_timestamp) continue;
        spawn_for(victim, remove_victim(victim, refusal.pod, refusal.nominated_node));
    }
}

// The condition shows controllers that count the pod why it ended.
os::Task<Result<void>> Scheduler::mark_victim(PodRef victim) {
    for (int tries = 1;; ++tries) {
        const auto current = co_await client_.get<Pod>(client::name_of(*victim));
        if (!current.ok()) co_return current.error();
        if (!((*current)->metadata.uid == victim->metadata.uid)) co_return Error{Code::kNotFound, "it is another now"};
        Pod draft = **current;
        const bool says =
            set_condition(draft, "DisruptionTarget", true, "PreemptionByScheduler",
                          std::string(kName) + ": preempting to accommodate a higher priority pod", loop_.now());
        if (!says) co_return Result<void>();
        const auto stored = co_await client_.change_status<Pod>(*current, std::move(draft));
        if (stored.ok()) co_return Result<void>();
        // Its node writes there, too.
        if (stored.error().code != Code::kConflict || tries == kMarkTries) co_return stored.error();
    }
}

os::Task<void> Scheduler::remove_victim(PodRef victim, PodRef preemptor, Text node) {
    const Result<void> marked = co_await mark_victim(victim);
    if (!marked.ok() && marked.error().code == Code::kNotFound) co_return;
    const client::ObjectName name = client::name_of(*victim);
    Result<void> removed = marked;
    if (marked.ok()) removed = co_await client_.remove<Pod>(name, client::Removal(victim->metadata.uid));
    if (!removed.ok()) {
        REACHED("a victim cannot be removed, and is chosen again");
        co_await os::sleep_for(loop_, kVictimRetry);
        wake(kWakeOnRoom);
        co_return;
    }
    count_victim(metrics_);
    recorder_.note(*victim,
                   Note::normal("Preempted", "Preempted by pod " + preemptor->metadata.uid.str() + " on node " + node));
}

os::Task<void> Scheduler::tell_waiting() {
    for (;;) {
        while (queue_.parked() == 0) co_await changed_.wait();
        co_await os::sleep_for(loop_, kTellPeriod);
        for (PodQueue::Telling& telling : queue_.take_tellings(options_.tellings_max, loop_.uptime()))
            spawn_for(telling.pod,
                      tell(telling.pod, std::move(telling.message), telling.pod->status.nominated_node_name));
        show_queue();
    }
}

os::Task<void> Scheduler::tell(PodRef pod, std::string message, Text nominated_node) {
    const auto current = co_await client_.get<Pod>(client::name_of(*pod));
    if (!current.ok() || !((*current)->metadata.uid == pod->metadata.uid)) co_return;
    Pod draft = **current;
    if (!draft.spec.node_name.empty()) co_return;
    const bool says = set_condition(draft, "PodScheduled", false, "Unschedulable", message, loop_.now());
    if (says) recorder_.note(*pod, Note::warning("FailedScheduling", message));
    if (!says && draft.status.nominated_node_name == nominated_node) co_return;
    draft.status.nominated_node_name = nominated_node;
    const auto stored = co_await client_.change_status<Pod>(*current, std::move(draft));
    if (!stored.ok()) queue_.forget_told(pod->metadata.uid);
}

void Scheduler::show_queue() { show_pending(metrics_, queue_.size() - queue_.parked(), queue_.parked()); }

}  // namespace muster::scheduler
