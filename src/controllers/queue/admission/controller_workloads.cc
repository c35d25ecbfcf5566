// The part of the admission controller that takes Workloads in: who waits, who holds quota, who is over.
#include <algorithm>
#include <utility>

#include "api/kinds/kueue/kueue_names.h"
#include "base/saturate.h"
#include "controllers/queue/admission/controller.h"
#include "controllers/queue/admission/translate.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers {

namespace kueue = api::kueue;
using queue::Phase;

namespace {

// Whether anything but waiting for quota can happen to it. Most workloads have only that before them.
bool has_life(const kueue::Workload& workload) {
    if (is_finished(workload.status)) return false;
    return workload.status.admission || !workload.spec.active.value_or(true) ||
           find_condition(workload.status, kueue::kWorkloadRequeued) ||
           find_condition(workload.status, kueue::kWorkloadDeactivationTarget);
}

}  // namespace

void AdmissionController::on_workload(const WorkloadRef& before, const WorkloadRef& now) {
    if (!ready_) return;
    if (!now) {
        const auto found = items_.find(client::name_of(*before));
        if (found != items_.end()) forget(found->second);
        return;
    }
    const ItemId item = track(*now);
    Tracked& tracked = tracked_[item];
    if (tracked.busy) return;
    // A live read did not find the Workload, but this event is older than its deletion.
    const bool passed = tracked.awaited.epoch != workloads_.epoch();
    if (passed || tracked.awaited.version == kVersionOfGone) tracked.awaited = {};
    if (client::parse_version(now->metadata.resource_version) < tracked.awaited.version) return;
    settle(item, *now);
}

queue::ItemId AdmissionController::track(const Workload& workload) {
    const Name name = client::name_of(workload);
    const auto found = items_.find(name);
    if (found != items_.end()) {
        if (tracked_[found->second].uid == workload.metadata.uid) return found->second;
        forget(found->second);  // recreated under the same name
    }
    const ItemId item = engine_.add_item();
    if (item >= tracked_.size()) tracked_.resize(item + 1);
    tracked_[item] = Tracked{};
    tracked_[item].name = name;
    tracked_[item].uid = workload.metadata.uid;
    tracked_[item].sequence = ++arrivals_;
    items_.emplace(name, item);
    return item;
}

void AdmissionController::forget(ItemId item) {
    items_.erase(tracked_[item].name);
    // What is being written about it may still tell that it had quota: its number stays until then.
    tracked_[item].gone = true;
    if (!tracked_[item].busy) release(item);
}

void AdmissionController::release(ItemId item) {
    count(item, -1);
    engine_.remove_item(item);
    tracked_[item] = Tracked{};
    wake_.notify();
}

void AdmissionController::settle(ItemId item, const Workload& workload) {
    count(item, -1);
    note_preemptions(item, workload);
    Tracked before;
    before.phase = tracked_[item].phase;
    before.unready = tracked_[item].unready;
    before.cluster_queue = tracked_[item].cluster_queue;
    place(item, workload);
    count(item, 1);
    observe(workload, before, tracked_[item]);
    arm_explaining();
    wake_.notify();
    if (!has_life(workload)) return;
    const queue::LifecyclePlan plan = queue::decide_lifecycle(workload, surroundings(workload));
    if (plan.status || plan.deactivate)
        lifecycle_.add(tracked_[item].name);
    else if (plan.wake_at)
        lifecycle_.add_after(tracked_[item].name, *plan.wake_at - loop_.now());
}

void AdmissionController::observe(const Workload& workload, const Tracked& before, const Tracked& now) {
    const auto seconds = [](Duration span) {
        return std::chrono::duration<double>(std::max(span, Duration(0))).count();
    };
    const bool held = before.phase >= Phase::kReserving;
    const auto* evicted = find_condition(workload.status, kueue::kWorkloadEvicted);
    if (held && now.phase < Phase::kReserving && is_evicted(workload.status) && !is_finished(workload.status))
        metrics_.gave_back(known_queue(before.cluster_queue), queue::split_eviction(evicted->reason).reason,
                           seconds(loop_.now() - evicted->last_transition_time.instant()));
    const auto* ready = find_condition(workload.status, kueue::kWorkloadPodsReady);
    const auto* admitted = find_condition(workload.status, kueue::kWorkloadAdmitted);
    const bool gets_ready = held && before.unready && !now.unready && now.phase == Phase::kAdmitted;
    if (!gets_ready || !ready || !admitted || !(ready->reason == kueue::kPodsReadyStarted)) return;
    const Instant at = ready->last_transition_time.instant();
    const queue::Counted in = counted_in(now.cluster_queue, workload);
    metrics_.ready(in, seconds(at - queue::queue_time(workload, true)),
                   seconds(at - admitted->last_transition_time.instant()));
}

std::vector<std::pair<Text, queue::Amount>> AdmissionController::asks_of(const Workload& workload) const {
    std::map<Text, queue::Amount> sums;
    const queue::PodRules rules = pod_rules(workload.metadata.namespace_);
    for (const kueue::PodSetRequest& set : queue::requests_of(workload, rules))
        for (const auto& [resource, quantity] : set.resources) {
            queue::Amount& sum = sums[resource];
            sum = queue::plus(sum, queue::amount_of(resource, quantity));
        }
    return {sums.begin(), sums.end()};
}

void AdmissionController::place(ItemId item, const Workload& workload) {
    Tracked& tracked = tracked_[item];
    tracked.local_queue = workload.spec.queue_name;
    tracked.unready = false;
    tracked.asks.clear();
    if (is_finished(workload.status)) {
        if (!tracked.over && tracked.phase >= Phase::kReserving)
            metrics_.finished(counted_in(tracked.cluster_queue, workload));
        tracked.over = true;
        tracked.phase = Phase::kNone;
        engine_.set_over(item);
        return;
    }
    if (!has_reservation(workload.status) || !workload.status.admission) return place_waiting(item, workload);
    tracked.cluster_queue = workload.status.admission->cluster_queue;
    tracked.phase = is_admitted(workload.status) ? Phase::kAdmitted : Phase::kReserving;
    tracked.unready = !is_true(workload.status, kueue::kWorkloadPodsReady);
    queue::Holder holder;
    holder.queue = tracked.cluster_queue;
    holder.uid = tracked.uid;
    holder.priority = workload.spec.priority.value_or(0);
    holder.ordered_at = ordered_at(workload, tracked);
    holder.reserved_at = find_condition(workload.status, kueue::kWorkloadQuotaReserved)->last_transition_time.instant();
    holder.usage = queue::usage_of(workload, engine_.names());
    holder.evicting = is_evicted(workload.status);
    engine_.set_holding(item, std::move(holder));
}

void AdmissionController::place_waiting(ItemId item, const Workload& workload) {
    Tracked& tracked = tracked_[item];
    const client::Ref<LocalQueue> local = local_queues_.get({tracked.name.namespace_, tracked.local_queue});
    tracked.cluster_queue = local ? local->spec.cluster_queue : Text();
    if (tracked.phase != Phase::kPending && tracked.phase != Phase::kInadmissible) tracked.waiting_since = loop_.now();
    if (!workload.spec.active.value_or(true) || workload.metadata.deletion_timestamp) {
        tracked.phase = Phase::kNone;
        engine_.set_idle(item);
        return;
    }
    tracked.asks = asks_of(workload);
    if (find_obstacle(workload, tracked) || find_queue_obstacle(workload, tracked)) {
        tracked.phase = Phase::kInadmissible;
        engine_.set_idle(item);
        return;
    }
    tracked.phase = Phase::kPending;
    tracked.obstacle = {};
    tracked.obstacle_reason = {};
    queue::Waiter waiter;
    waiter.queue = tracked.cluster_queue;
    waiter.uid = tracked.uid;
    waiter.priority = workload.spec.priority.value_or(0);
    waiter.ordered_at = ordered_at(workload, tracked);
    waiter.shape = engine_.add_shape(queue::shape_of(workload, pod_rules(tracked.name.namespace_)));
    engine_.set_pending(item, std::move(waiter));
}

bool AdmissionController::find_obstacle(const Workload& workload, Tracked& tracked) {
    const Text* gates = workload.metadata.annotations.find(kueue::kAdmissionGatedByAnnotation);
    if (gates && !gates->empty()) return note_obstacle(tracked, Word::kGated, {gates->view()});
    // It is evicted, and the eviction says why; it comes back when its backoff is over or its queue runs again.
    const auto* requeued = find_condition(workload.status, kueue::kWorkloadRequeued);
    if (requeued && requeued->status == kueue::kConditionFalse) {
        tracked.obstacle_reason = reason_of(Word::kPendingEvaluation);
        tracked.obstacle = requeued->message;
        return true;
    }
    if (is_true(workload.status, kueue::kWorkloadWaitingForReplacementPods))
        return note_obstacle(tracked, Word::kWaitsForReplacements);
    return false;
}

bool AdmissionController::note_obstacle(Tracked& tracked, Word word, std::initializer_list<std::string_view> values) {
    tracked.obstacle_reason = reason_of(word);
    tracked.obstacle = say(word, values);
    return true;
}

bool AdmissionController::find_queue_obstacle(const Workload& workload, Tracked& tracked) {
    const Text& queue_name = tracked.local_queue;
    if (queue_name.empty()) return note_obstacle(tracked, Word::kNoQueueName);
    const client::Ref<LocalQueue> local = local_queues_.get({tracked.name.namespace_, queue_name});
    if (!local) return note_obstacle(tracked, Word::kNoLocalQueue, {queue_name.view()});
    if (queue::parse_stop(local->spec.stop_policy) != queue::Stop::kNone)
        return note_obstacle(tracked, Word::kLocalQueueInactive, {queue_name.view()});
    const auto info = infos_.find(tracked.cluster_queue);
    if (info == infos_.end()) return note_obstacle(tracked, Word::kNoClusterQueue, {tracked.cluster_queue.view()});
    if (!info->second.activity.active)
        return note_obstacle(tracked, Word::kClusterQueueInactive, {tracked.cluster_queue.view()});
    const auto in = namespaces_.get({"", tracked.name.namespace_});
    if (!info->second.namespaces.matches(in ? in->metadata.labels : Map<Text>()))
        return note_obstacle(tracked, Word::kNamespaceMismatch);
    const queue::PodRules rules = pod_rules(tracked.name.namespace_);
    for (const kueue::PodSet& pods : workload.spec.pod_sets)
        if (const std::string wrong = queue::check_limits(pods.template_.spec, rules); !wrong.empty())
            return note_obstacle(tracked, Word::kInvalidResources, {"pod set " + pods.name.str() + ": " + wrong});
    return false;
}

void AdmissionController::count(ItemId item, int sign) {
    const Tracked& tracked = tracked_[item];
    if (tracked.unready && tracked.phase >= Phase::kReserving) unready_ += static_cast<std::size_t>(sign);
    if (tracked.phase == Phase::kNone) return;
    if (tracked.phase < Phase::kReserving) waiting_ += static_cast<std::size_t>(sign);
    const queue::Usage usage = tracked.phase >= Phase::kReserving ? engine_.item(item).usage : queue::Usage();
    queue::QueueCounts& in_cluster_queue = cluster_counts_[tracked.cluster_queue];
    in_cluster_queue.count(tracked.phase, usage, sign);
    in_cluster_queue.ask(tracked.asks, sign);
    if (std::exchange(in_cluster_queue.told, false)) stale_cluster_queues_.insert(tracked.cluster_queue);
    const Name local(tracked.name.namespace_, tracked.local_queue);
    queue::QueueCounts& in_local_queue = local_counts_[local];
    in_local_queue.count(tracked.phase, usage, sign);
    if (std::exchange(in_local_queue.told, false)) stale_local_queues_.insert(local);
    status_wake_.notify();
}

void AdmissionController::note_preemptions(ItemId item, const Workload& workload) {
    std::optional<std::int32_t>& known = tracked_[item].preemptions;
    const std::int32_t count = queue::count_preemptions(workload.status);
    if (known) {
        const std::int32_t more = std::min<std::int32_t>(sub_sat(count, *known), queue::kPreemptionsMax);
        for (std::int32_t i = 0; i < more; ++i) engine_.note_preempted(item, loop_.now());
    } else if (is_true(workload.status, kueue::kWorkloadPreempted)) {
        const auto* preempted = find_condition(workload.status, kueue::kWorkloadPreempted);
        engine_.note_preempted(item, preempted->last_transition_time.instant());
    }
    known = count;
}

queue::PodRules AdmissionController::pod_rules(const Text& namespace_) const {
    queue::PodRules rules;
    if (limit_ranges_.size() > 0) rules.ranges = limit_ranges_.indexed(limit_ranges_by_namespace_, namespace_);
    rules.find_runtime_class = find_runtime_class_;
    return rules;
}

queue::Surroundings AdmissionController::surroundings(const Workload& workload) const {
    queue::Surroundings around;
    around.now = loop_.now();
    if (options_.pods_ready) around.pods_ready = &*options_.pods_ready;
    const auto local = local_queues_.get({workload.metadata.namespace_, workload.spec.queue_name});
    if (local) around.local_queue_stop = queue::parse_stop(local->spec.stop_policy);
    const bool holds = static_cast<bool>(workload.status.admission);
    const Text name = holds ? workload.status.admission->cluster_queue : local ? local->spec.cluster_queue : Text();
    const auto cluster_queue = cluster_queues_.get({"", name});
    if (!cluster_queue) return around;
    around.cluster_queue_stop = queue::parse_stop(cluster_queue->spec.stop_policy);
    if (holds) around.checks = queue::checks_for(*cluster_queue, *workload.status.admission);
    return around;
}

// Creation is told in whole seconds; within one, who came first goes first.
Instant AdmissionController::ordered_at(const Workload& workload, const Tracked& tracked) const {
    const bool by_eviction = options_.pods_ready && options_.pods_ready->requeue_by_eviction;
    return queue::queue_time(workload, by_eviction) + Duration(std::min<std::uint32_t>(tracked.sequence, 999'999'999));
}

}  // namespace muster::controllers
