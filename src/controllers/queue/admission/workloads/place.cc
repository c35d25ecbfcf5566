#include "controllers/queue/admission/workloads/place.h"

#include <map>

#include "api/kinds/kueue/kueue_names.h"
#include "base/check.h"
#include "controllers/queue/admission/engine/translate.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
using kueue::Workload;

Asks asks_of(const Workload& workload, const PodRules& rules) {
    std::map<Text, Amount> sums;
    for (const kueue::PodSetRequest& set : requests_of(workload, rules))
        for (const auto& [resource, quantity] : set.resources) {
            Amount& sum = sums[resource];
            sum = plus(sum, amount_of(resource, quantity));
        }
    return {sums.begin(), sums.end()};
}

bool note_obstacle(Place& place, Word word, std::initializer_list<std::string_view> values = {}) {
    place.obstacle_reason = controllers::reason_of(word);
    place.obstacle = say(word, values);
    return true;
}

// In the Workload itself.
bool find_own_obstacle(const Workload& workload, Place& place) {
    const Text* gates = workload.metadata.annotations.find(kueue::kAdmissionGatedByAnnotation);
    if (gates && !gates->empty()) return note_obstacle(place, Word::kGated, {gates->view()});
    // It is evicted, and the eviction says why; it comes back when its backoff is over or its queue runs again.
    const auto* requeued = find_condition(workload.status, kueue::kWorkloadRequeued);
    if (requeued && requeued->status == kueue::kConditionFalse) {
        place.obstacle_reason = controllers::reason_of(Word::kPendingEvaluation);
        place.obstacle = requeued->message;
        return true;
    }
    if (is_true(workload.status, kueue::kWorkloadWaitingForReplacementPods))
        return note_obstacle(place, Word::kWaitsForReplacements);
    return false;
}

bool find_queue_obstacle(const Workload& workload, const PlaceFacts& facts, Place& place) {
    const std::string_view local_queue = place.local_queue.view();
    const std::string_view cluster_queue = place.cluster_queue.view();
    if (local_queue.empty()) return note_obstacle(place, Word::kNoQueueName);
    if (!facts.local_queue) return note_obstacle(place, Word::kNoLocalQueue, {local_queue});
    if (parse_stop(facts.local_queue->spec.stop_policy) != Stop::kNone)
        return note_obstacle(place, Word::kLocalQueueInactive, {local_queue});
    if (!facts.cluster_queue) return note_obstacle(place, Word::kNoClusterQueue, {cluster_queue});
    if (!facts.cluster_queue->activity.active)
        return note_obstacle(place, Word::kClusterQueueInactive, {cluster_queue});
    if (!facts.cluster_queue->namespaces.matches(facts.namespace_labels))
        return note_obstacle(place, Word::kNamespaceMismatch);
    for (const kueue::PodSet& pods : workload.spec.pod_sets)
        if (const std::string wrong = check_limits(pods.template_.spec, facts.rules); !wrong.empty())
            return note_obstacle(place, Word::kInvalidResources, {"pod set " + pods.name.str() + ": " + wrong});
    return false;
}

void place_waiting(const Workload& workload, const PlaceFacts& facts, Place& place) {
    place.cluster_queue = facts.local_queue ? facts.local_queue->spec.cluster_queue : Text();
    if (!workload.spec.active.value_or(true) || workload.metadata.deletion_timestamp) return;
    place.asks = asks_of(workload, facts.rules);
    const bool kept = find_own_obstacle(workload, place) || find_queue_obstacle(workload, facts, place);
    place.phase = kept ? Phase::kInadmissible : Phase::kPending;
}

Waiter make_waiter(Engine& engine, const Workload& workload, const Place& place, Instant ordered_at,
                   const PodRules& rules) {
    Waiter waiter;
    waiter.queue = place.cluster_queue;
    waiter.uid = workload.metadata.uid;
    waiter.priority = workload.spec.priority.value_or(0);
    waiter.ordered_at = ordered_at;
    waiter.shape = engine.add_shape(shape_of(workload, rules));
    return waiter;
}

Holder make_holder(Engine& engine, const Workload& workload, const Place& place, Instant ordered_at) {
    const auto* reserved = find_condition(workload.status, kueue::kWorkloadQuotaReserved);
    CHECK(reserved, "quota without a reservation");
    Holder holder;
    holder.queue = place.cluster_queue;
    holder.uid = workload.metadata.uid;
    holder.priority = workload.spec.priority.value_or(0);
    holder.ordered_at = ordered_at;
    holder.reserved_at = reserved->last_transition_time.instant();
    holder.usage = usage_of(workload, engine.names());
    holder.evicting = is_evicted(workload.status);
    return holder;
}

}  // namespace

Place find_place(const Workload& workload, const Place& before, const PlaceFacts& facts) {
    Place place;
    place.local_queue = workload.spec.queue_name;
    place.over = before.over;
    if (is_finished(workload.status)) {
        place.over = true;
        place.cluster_queue = before.cluster_queue;
    } else if (has_reservation(workload.status) && workload.status.admission) {
        place.cluster_queue = workload.status.admission->cluster_queue;
        place.phase = is_admitted(workload.status) ? Phase::kAdmitted : Phase::kReserving;
        place.unready = !is_true(workload.status, kueue::kWorkloadPodsReady);
    } else {
        place_waiting(workload, facts, place);
    }
    return place;
}

void enter_engine(Engine& engine, ItemId item, const Workload& workload, const Place& place, Instant ordered_at,
                  const PodRules& rules) {
    if (is_finished(workload.status)) return engine.set_over(item);
    if (place.holds_quota()) return engine.set_holding(item, make_holder(engine, workload, place, ordered_at));
    if (place.phase == Phase::kPending)
        return engine.set_pending(item, make_waiter(engine, workload, place, ordered_at, rules));
    engine.set_idle(item);
}

}  // namespace muster::controllers::queue
