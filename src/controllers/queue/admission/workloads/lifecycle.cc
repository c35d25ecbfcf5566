#include "controllers/queue/admission/workloads/lifecycle.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "base/saturate.h"
#include "controllers/queue/admission/engine/translate.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
using kueue::AdmissionCheckState;
using kueue::Workload;
using kueue::WorkloadStatus;

const AdmissionCheckState* find_check(const WorkloadStatus& status, std::string_view state) {
    for (const AdmissionCheckState& check : status.admission_checks)
        if (check.state == state) return &check;
    return nullptr;
}

class Lifecycle {
public:
    Lifecycle(const Workload& workload, const Surroundings& around)
        : workload_(workload),
          around_(around),
          status_(workload.status),
          active_(workload.spec.active.value_or(true)),
          generation_(workload.metadata.generation) {}

    LifecyclePlan run() {
        if (controllers::is_finished(status_)) return {};
        if (controllers::has_reservation(status_) && status_.admission)
            holding();
        else
            waiting();
        return std::move(plan_);
    }

private:
    Instant since(std::string_view condition) const {
        const auto* found = controllers::find_condition(status_, condition);
        return found ? found->last_transition_time.instant() : Instant();
    }
    void wake(Instant at) {
        if (!plan_.wake_at || at < *plan_.wake_at) plan_.wake_at = at;
    }
    WorkloadStatus& edit() {
        if (!plan_.status) plan_.status = status_;
        return *plan_.status;
    }
    void note(Text reason, std::string text) {
        plan_.note_reason = std::move(reason);
        plan_.note = std::move(text);
    }
    void evict(std::string_view reason, const std::string& message) {
        mark_evicted(edit(), reason, message, generation_, around_.now);
        plan_.evicted_for = reason;
        note(kueue::kEventEvictedDueToPrefix + Text(reason), message);
    }
    void evict(Word word, std::initializer_list<std::string_view> values = {}) {
        evict(reason_of(word), say(word, values));
    }
    // Two writes: why is stored first, so that a crash in between forgets neither.
    void deactivate(Word word, std::initializer_list<std::string_view> values = {}) {
        controllers::set_condition(edit(), kueue::kWorkloadDeactivationTarget, true, reason_of(word), say(word, values),
                                   generation_, around_.now);
    }

    void holding() {
        if (controllers::is_evicted(status_)) return leaving();
        if (is_true(kueue::kWorkloadDeactivationTarget) && active_) {
            plan_.deactivate = true;
            return;
        }
        if (!active_) return evict_inactive();
        const bool admitted = controllers::is_admitted(status_);
        if (stops(around_.cluster_queue_stop, admitted)) return evict(Word::kEvictedClusterQueueStopped);
        if (stops(around_.local_queue_stop, admitted)) return evict(Word::kEvictedLocalQueueStopped);
        if (check_results()) return;
        if (admitted && (check_execution_time() || check_pods_ready())) return;
        if (list_checks(status_, around_.checks, around_.now)) edit() = status_;
        if (!admitted && checks_passed(status_)) {
            mark_admitted(edit(), generation_, around_.now);
            note_admitted();
        }
    }
    void note_admitted() {
        const auto waited = std::chrono::duration_cast<std::chrono::seconds>(
            std::max(Duration(0), around_.now - since(kueue::kWorkloadQuotaReserved)));
        note(reason_of(Word::kAdmittedEvent),
             say(Word::kAdmittedEvent, {status_.admission->cluster_queue.view(), std::to_string(waited.count())}));
    }
    bool is_true(std::string_view type) const { return controllers::is_true(status_, type); }
    static bool stops(Stop stop, bool admitted) {
        return stop == Stop::kHoldAndDrain || (stop == Stop::kHold && !admitted);
    }

    void evict_inactive() {
        const auto* target = controllers::find_condition(status_, kueue::kWorkloadDeactivationTarget);
        const bool because = target && target->status == kueue::kConditionTrue;
        if (because)
            evict(reason_of(Word::kEvictedDeactivatedDueTo) + target->reason.str(),
                  say(Word::kEvictedDeactivatedDueTo, {target->message.view()}));
        else
            evict(Word::kEvictedDeactivated);
        edit().requeue_state.reset();
    }

    // A Workload that was made by hand has no owner and no finalizer, and no controller stops pods for it. One with the
    // finalizer is held by a controller, which gives the quota back when the pods have stopped: also when a user, or
    // that controller, has removed the owner references.
    void leaving() {
        if (!workload_.metadata.owner_references.empty() || controllers::is_in_use(workload_)) return;
        controllers::give_back_quota(edit(), generation_, around_.now);
    }

    // Those in the state, with what they say.
    std::string list_checks_in(std::string_view state) const {
        std::string list;
        int count = 0;
        for (const AdmissionCheckState& check : status_.admission_checks) {
            if (!(check.state == state)) continue;
            list += (count++ == 0 ? "\"" : "; \"") + check.name.str() + '"';
            if (!check.message.empty()) list += " (" + check.message.str() + ")";
        }
        return (count == 1 ? "AdmissionCheck in " : "AdmissionChecks in ") + std::string(state) + " state: " + list;
    }

    bool check_results() {
        if (find_check(status_, kueue::kCheckRejected)) {
            const std::string rejected = list_checks_in(kueue::kCheckRejected);
            deactivate(Word::kChecksRejected, {rejected});
            note(reason_of(Word::kChecksRejectedEvent), say(Word::kChecksRejectedEvent, {rejected}));
            return true;
        }
        if (!find_check(status_, kueue::kCheckRetry)) return false;
        std::optional<Instant> again;
        for (const AdmissionCheckState& it : status_.admission_checks)
            if (it.state == kueue::kCheckRetry && it.requeue_after_seconds) {
                const Instant at = it.last_transition_time.instant() + std::chrono::seconds(*it.requeue_after_seconds);
                if (!again || at > *again) again = at;
            }
        evict(Word::kEvictedChecksRetry, {list_checks_in(kueue::kCheckRetry)});
        if (again) edit().requeue_state.edit().requeue_at = api::Time::from_instant(*again);
        return true;
    }

    bool check_execution_time() {
        const auto most = workload_.spec.maximum_execution_time_seconds;
        if (!most) return false;
        const std::int32_t past = status_.accumulated_past_execution_time_seconds.value_or(0);
        const Instant end = since(kueue::kWorkloadAdmitted) + std::chrono::seconds(std::int64_t{*most} - past);
        if (around_.now < end) {
            wake(end);
            return false;
        }
        deactivate(Word::kExecutionTimeExceeded);
        note(reason_of(Word::kExecutionTimeExceededEvent),
             say(Word::kExecutionTimeExceededEvent, {std::to_string(*most)}));
        return true;
    }

    bool check_pods_ready() {
        if (!around_.pods_ready) return false;
        const kueue::PodsReadyRules& rules = *around_.pods_ready;
        const auto* ready = controllers::find_condition(status_, kueue::kWorkloadPodsReady);
        if (ready && ready->status == kueue::kConditionTrue) {
            if (status_.requeue_state) edit().requeue_state.reset();
            return false;
        }
        const bool recovering = ready && ready->reason == kueue::kPodsReadyWaitForRecovery;
        if (recovering && !rules.recovery_timeout) return false;
        const Instant start = recovering ? ready->last_transition_time.instant() : since(kueue::kWorkloadAdmitted);
        const Instant end = start + (recovering ? *rules.recovery_timeout : rules.timeout);
        if (around_.now < end) {
            wake(end);
            return false;
        }
        requeue_later(rules);
        return true;
    }
    void requeue_later(const kueue::PodsReadyRules& rules) {
        const std::int32_t count = add_sat(status_.requeue_state ? status_.requeue_state->count.value_or(0) : 0, 1);
        if (rules.backoff_limit_count && count > *rules.backoff_limit_count)
            return deactivate(Word::kRequeuingLimitExceeded);
        evict(Word::kEvictedPodsReadyTimeout,
              {workload_.metadata.namespace_.str() + "/" + workload_.metadata.name.str()});
        // Doubled more often than a number has bits, it is as long as it gets.
        const std::int64_t doubled = std::int64_t{1} << std::clamp(count - 1, 0, 62);
        const std::int64_t delay =
            std::min<std::int64_t>(mul_sat(doubled, rules.backoff_base_seconds), rules.backoff_max_seconds);
        kueue::RequeueState& state = edit().requeue_state.edit();
        state.count = count;
        state.requeue_at = api::Time::from_instant(around_.now + std::chrono::seconds(delay));
    }

    void tell_deactivated() {
        WorkloadStatus status = status_;
        if (controllers::set_condition(status, kueue::kWorkloadQuotaReserved, false, reason_of(Word::kDeactivated),
                                       say(Word::kDeactivated), generation_, around_.now))
            plan_.status = std::move(status);
    }

    // Not in the queue while Requeued is False: this says when it is over.
    void waiting() {
        if (!active_) return tell_deactivated();
        if (is_true(kueue::kWorkloadDeactivationTarget)) {
            // Switched off before, and on again since; or never switched off, as the server stopped in between.
            const auto* evicted = controllers::find_condition(status_, kueue::kWorkloadEvicted);
            const bool was_off = evicted && evicted->reason.view().starts_with(kueue::kEvictedDeactivated);
            if (!was_off) {
                plan_.deactivate = true;
                return;
            }
            auto& conditions = edit().conditions.edit();
            conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                            [](const api::meta::Condition& it) {
                                                return it.type == kueue::kWorkloadDeactivationTarget;
                                            }),
                             conditions.end());
        }
        const auto* requeued = controllers::find_condition(status_, kueue::kWorkloadRequeued);
        if (!requeued || requeued->status == kueue::kConditionTrue) return;
        const Text& reason = requeued->reason;
        if (reason.view().starts_with(kueue::kEvictedDeactivated)) return requeue(Word::kReactivated);
        if (reason == kueue::kEvictedClusterQueueStopped) {
            if (around_.cluster_queue_stop == Stop::kNone) requeue(Word::kClusterQueueRestarted);
            return;
        }
        if (reason == kueue::kEvictedLocalQueueStopped) {
            if (around_.local_queue_stop == Stop::kNone) requeue(Word::kLocalQueueRestarted);
            return;
        }
        if (status_.requeue_state && status_.requeue_state->requeue_at &&
            around_.now < status_.requeue_state->requeue_at->instant())
            return wake(status_.requeue_state->requeue_at->instant());
        requeue(Word::kBackoffFinished);
    }
    void requeue(Word word) {
        WorkloadStatus& status = edit();
        controllers::set_condition(status, kueue::kWorkloadRequeued, true, reason_of(word), say(word), generation_,
                                   around_.now);
        if (!status.requeue_state) return;
        status.requeue_state.edit().requeue_at.reset();
        if (!status.requeue_state->count) status.requeue_state.reset();
    }

    const Workload& workload_;
    const Surroundings& around_;
    WorkloadStatus status_;
    bool active_;
    std::int64_t generation_;
    LifecyclePlan plan_;
};

}  // namespace

Surroundings surroundings_of(const Workload& workload, const kueue::LocalQueue* local_queue,
                             const kueue::ClusterQueue* cluster_queue) {
    Surroundings around;
    if (local_queue) around.local_queue_stop = parse_stop(local_queue->spec.stop_policy);
    if (!cluster_queue) return around;
    around.cluster_queue_stop = parse_stop(cluster_queue->spec.stop_policy);
    if (workload.status.admission) around.checks = checks_for(*cluster_queue, *workload.status.admission);
    return around;
}

LifecyclePlan decide_lifecycle(const Workload& workload, const Surroundings& around) {
    return Lifecycle(workload, around).run();
}

void mark_evicted(WorkloadStatus& status, std::string_view reason, std::string_view message, std::int64_t generation,
                  Instant now) {
    const auto* admitted = controllers::find_condition(status, kueue::kWorkloadAdmitted);
    if (admitted && admitted->status == kueue::kConditionTrue) {
        const Duration ran = std::max(Duration(0), now - admitted->last_transition_time.instant());
        status.accumulated_past_execution_time_seconds =
            saturate_cast<std::int32_t>(status.accumulated_past_execution_time_seconds.value_or(0) +
                                        std::chrono::duration_cast<std::chrono::seconds>(ran).count());
    }
    controllers::set_condition(status, kueue::kWorkloadEvicted, true, reason, message, generation, now);
    for (AdmissionCheckState& check : status.admission_checks.edit()) {
        if (check.state == kueue::kCheckPending) continue;
        if (check.state == kueue::kCheckRetry) check.retry_count = add_sat(check.retry_count.value_or(0), 1);
        check.last_transition_time = api::Time::from_instant(now);
        check.message = "Reset to Pending after eviction. Previously: " + check.state.str();
        check.state = kueue::kCheckPending;
        check.pod_set_updates = {};
        check.requeue_after_seconds.reset();
    }
    const EvictionCause cause = split_eviction(reason);
    auto& evictions = status.scheduling_stats.edit().evictions.edit();
    for (auto& counted : evictions)
        if (counted.reason == cause.reason && counted.underlying_cause == cause.underlying) {
            counted.count = add_sat(counted.count, 1);
            return;
        }
    kueue::WorkloadSchedulingStatsEviction first;
    first.reason = cause.reason;
    first.underlying_cause = cause.underlying;
    first.count = 1;
    evictions.push_back(std::move(first));
}

std::int32_t count_preemptions(const WorkloadStatus& status) {
    if (!status.scheduling_stats) return 0;
    for (const auto& counted : status.scheduling_stats->evictions)
        if (counted.reason == kueue::kEvictedPreempted) return counted.count;
    return 0;
}

EvictionCause split_eviction(std::string_view reason) {
    const std::string_view prefix = kueue::kEvictedDeactivatedDueToPrefix;
    if (!reason.starts_with(prefix)) return {Text(reason), Text()};
    return {Text(kueue::kEvictedDeactivated), Text(reason.substr(prefix.size()))};
}

void mark_reserved(WorkloadStatus& status, const Text& queue, std::int64_t generation, Instant now) {
    controllers::set_condition(status, kueue::kWorkloadQuotaReserved, true, reason_of(Word::kQuotaReserved),
                               say(Word::kQuotaReserved, {queue.view()}), generation, now);
    status.resource_requests.reset();  // the admission says it now
    for (const char* type : {kueue::kWorkloadEvicted, kueue::kWorkloadPreempted}) {
        const auto* old = controllers::find_condition(status, type);
        if (old && old->status == kueue::kConditionTrue)
            controllers::set_condition(status, type, false, kueue::kReasonQuotaReserved,
                                       say(Word::kPreviously, {old->message.view()}), generation, now);
    }
}

void mark_admitted(WorkloadStatus& status, std::int64_t generation, Instant now) {
    controllers::set_condition(status, kueue::kWorkloadAdmitted, true, reason_of(Word::kAdmitted), say(Word::kAdmitted),
                               generation, now);
}

bool list_checks(WorkloadStatus& status, const std::vector<Text>& checks, Instant now) {
    const auto wanted = [&](const Text& name) { return std::find(checks.begin(), checks.end(), name) != checks.end(); };
    const auto listed = [&](const Text& name) {
        return std::any_of(status.admission_checks.begin(), status.admission_checks.end(),
                           [&](const AdmissionCheckState& check) { return check.name == name; });
    };
    const bool same =
        status.admission_checks.size() == checks.size() && std::all_of(checks.begin(), checks.end(), listed);
    if (same) return false;
    auto& states = status.admission_checks.edit();
    states.erase(std::remove_if(states.begin(), states.end(),
                                [&](const AdmissionCheckState& check) { return !wanted(check.name); }),
                 states.end());
    for (const Text& name : checks) {
        if (listed(name)) continue;
        AdmissionCheckState check;
        check.name = name;
        check.state = kueue::kCheckPending;
        check.last_transition_time = api::Time::from_instant(now);
        status.admission_checks.edit().push_back(std::move(check));
    }
    return true;
}

bool checks_passed(const WorkloadStatus& status) {
    return std::all_of(status.admission_checks.begin(), status.admission_checks.end(),
                       [](const AdmissionCheckState& check) { return check.state == kueue::kCheckReady; });
}

Instant queue_time(const Workload& workload, bool by_eviction) {
    const auto* evicted = controllers::find_condition(workload.status, kueue::kWorkloadEvicted);
    if (evicted && evicted->status == kueue::kConditionTrue &&
        ((by_eviction && evicted->reason == kueue::kEvictedPodsReadyTimeout) ||
         evicted->reason == kueue::kEvictedAdmissionCheck))
        return evicted->last_transition_time.instant();
    return workload.metadata.creation_timestamp.instant();
}

}  // namespace muster::controllers::queue
