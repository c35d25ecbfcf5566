#include "controllers/queue/admission/workloads/lifecycle.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {
namespace lifecycle_test {

using api::kueue::Workload;

const Instant kNow = api::Time::parse("2026-01-01T01:00:00Z").value().instant();

// Conditions: a list of [type, status, reason, time].
Workload workload(const std::string& spec, const std::string& status) {
    return api::from_yaml<Workload>(
               "{metadata: {name: w, namespace: team, uid: u, ownerReferences: [{name: o, uid: p, "
               "kind: Job, apiVersion: batch/v1}]}, spec: {" +
               spec + "}, status: {" + status + "}}")
        .value();
}

std::string condition(const std::string& type, bool holds, const std::string& reason,
                      const std::string& time = "2026-01-01T00:00:00Z") {
    return "{type: " + type + ", status: '" + (holds ? "True" : "False") + "', reason: " + reason +
           ", lastTransitionTime: '" + time + "', message: m}";
}

const std::string kHolding = "admission: {clusterQueue: q, podSetAssignments: []}, conditions: [" +
                             condition("QuotaReserved", true, "QuotaReserved");
const std::string kAdmitted = kHolding + ", " + condition("Admitted", true, "Admitted");

// "evict PodsReadyTimeout", "admit", "deactivate", "requeue Reactivated", "wake 60", … or nothing.
std::string plan_for(const Workload& it, Surroundings around = {}) {
    around.now = kNow;
    const LifecyclePlan plan = decide_lifecycle(it, around);
    std::string out;
    const auto add = [&](const std::string& word) { out += (out.empty() ? "" : ", ") + word; };
    if (!plan.evicted_for.empty()) add("evict " + plan.evicted_for.str());
    if (plan.deactivate) add("deactivate");
    if (plan.status) {
        const auto* target = find_condition(*plan.status, "DeactivationTarget");
        if (target && !find_condition(it.status, "DeactivationTarget")) add("target " + target->reason.str());
        if (is_admitted(*plan.status) && !is_admitted(it.status)) add("admit");
        const auto* requeued = find_condition(*plan.status, "Requeued");
        if (requeued && requeued->status == "True") add("requeue " + requeued->reason.str());
        if (!plan.status->admission && it.status.admission) add("give back");
        for (const auto& check : plan.status->admission_checks) add(check.name.str() + "=" + check.state.str());
        if (plan.status->requeue_state && plan.status->requeue_state->requeue_at)
            add("again in " +
                std::to_string(plan.status->requeue_state->requeue_at->unix_seconds() - kNow.unix_seconds()));
        // After the plan is carried out, the next plan is empty.
        Workload after = it;
        after.status = *plan.status;
        const LifecyclePlan again = decide_lifecycle(after, around);
        if (again.status) add("AND MORE");
    }
    if (plan.wake_at) add("wake " + std::to_string((*plan.wake_at - kNow) / 1s));
    return out;
}

TEST(WorkloadLifecycle, OneStepAtATime) {
    struct Case {
        const char* sentence;
        std::string spec;
        std::string status;
        const char* plan;
    };
    const Case cases[] = {
        {"a finished one is left alone", "active: false",
         "conditions: [" + condition("Finished", true, "Succeeded") + "]", ""},
        {"one that waits is left alone", "", "", ""},
        {"an admitted one is left alone", "", kAdmitted + "]", ""},
        {"one without checks is admitted", "", kHolding + "]", "admit"},
        {"one that is switched off is evicted", "active: false", kAdmitted + "]", "evict Deactivated"},
        {"one that waits and is switched off waits", "active: false", "", ""},
        {"an evicted one waits for its owner to stop it", "",
         kAdmitted + ", " + condition("Evicted", true, "Preempted") + "]", ""},
        {"one that is switched on again is queued again", "",
         "conditions: [" + condition("Evicted", true, "Deactivated") + ", " +
             condition("Requeued", false, "Deactivated") + "]",
         "requeue Reactivated"},
        {"a preempted one is in the queue already", "",
         "conditions: [" + condition("Evicted", true, "Preempted") + ", " + condition("Requeued", true, "Preempted") +
             "]",
         ""},
        {"backoff is waited for", "",
         "requeueState: {count: 1, requeueAt: '2026-01-01T01:00:30Z'}, conditions: [" +
             condition("Requeued", false, "PodsReadyTimeout") + "]",
         "wake 30"},
        {"after backoff it is queued again", "",
         "requeueState: {count: 1, requeueAt: '2026-01-01T01:00:00Z'}, conditions: [" +
             condition("Requeued", false, "PodsReadyTimeout") + "]",
         "requeue BackoffFinished"},
        {"its queue runs again", "", "conditions: [" + condition("Requeued", false, "ClusterQueueStopped") + "]",
         "requeue ClusterQueueRestarted"},
        {"time is left", "maximumExecutionTimeSeconds: 3700", kAdmitted + "]", "wake 100"},
        {"its time is over", "maximumExecutionTimeSeconds: 3600", kAdmitted + "]",
         "target MaximumExecutionTimeExceeded"},
        {"what it ran before counts", "maximumExecutionTimeSeconds: 3700",
         "accumulatedPastExecutionTimeSeconds: 100, " + kAdmitted + "]", "target MaximumExecutionTimeExceeded"},
        {"any number of seconds may be left", "maximumExecutionTimeSeconds: 2147483647",
         "accumulatedPastExecutionTimeSeconds: -2147483648, " + kAdmitted + "]", "wake 4294963695"},
        {"or over", "maximumExecutionTimeSeconds: -2147483648",
         "accumulatedPastExecutionTimeSeconds: 2147483647, " + kAdmitted + "]", "target MaximumExecutionTimeExceeded"},
        {"who is to be switched off is", "", kAdmitted + ", " + condition("DeactivationTarget", true, "X") + "]",
         "deactivate"},
        {"and then evicted for that", "active: false",
         kAdmitted + ", " + condition("DeactivationTarget", true, "MaximumExecutionTimeExceeded") + "]",
         "evict DeactivatedDueToMaximumExecutionTimeExceeded"},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EXPECT_EQ(plan_for(workload(it.spec, it.status)), it.plan);
    }
}

TEST(WorkloadLifecycle, WithoutAnOwnerQuotaIsGivenBackAtOnce) {
    Workload it = workload("", kAdmitted + ", " + condition("Evicted", true, "Preempted") + "]");
    it.metadata.owner_references = {};
    it.metadata.finalizers = {};
    EXPECT_EQ(plan_for(it), "requeue Preempted, give back");
}

TEST(WorkloadLifecycle, QuotaOfAWorkloadInUseIsGivenBackByItsControllerThoughItsOwnersWereRemoved) {
    Workload it = workload("", kAdmitted + ", " + condition("Evicted", true, "Preempted") + "]");
    it.metadata.owner_references = {};
    it.metadata.finalizers.edit().emplace_back(api::kueue::kResourceInUseFinalizer);
    EXPECT_EQ(plan_for(it), "");
}

TEST(WorkloadLifecycle, ChecksAreTheSecondPhase) {
    struct Case {
        const char* sentence;
        std::string checks;
        const char* plan;
    };
    const Case cases[] = {
        {"checks are listed as pending", "[]", "a=Pending, b=Pending"},
        {"while one is pending it waits", "[{name: a, state: Ready}, {name: b, state: Pending}]", ""},
        {"when all are ready it is admitted", "[{name: a, state: Ready}, {name: b, state: Ready}]",
         "admit, a=Ready, b=Ready"},
        {"a check that is no longer asked for goes",
         "[{name: a, state: Ready}, {name: b, state: Ready}, {name: c, state: Pending}]", "admit, a=Ready, b=Ready"},
        {"a retry gives the quota back and resets all checks",
         "[{name: a, state: Ready}, {name: b, state: Retry, lastTransitionTime: '2026-01-01T01:00:00Z', "
         "requeueAfterSeconds: 20}]",
         "evict AdmissionCheck, a=Pending, b=Pending, again in 20"},
        {"a rejection switches it off", "[{name: a, state: Rejected}, {name: b, state: Pending}]",
         "target AdmissionCheck, a=Rejected, b=Pending"},
    };
    Surroundings around;
    around.checks = {"a", "b"};
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EXPECT_EQ(plan_for(workload("", "admissionChecks: " + it.checks + ", " + kHolding + "]"), around), it.plan);
    }
}

TEST(WorkloadLifecycle, AStoppedQueueTakesQuotaBack) {
    struct Case {
        const char* sentence;
        Stop cluster_queue;
        Stop local_queue;
        bool admitted;
        const char* plan;
    };
    const Case cases[] = {
        {"hold leaves the admitted", Stop::kHold, Stop::kNone, true, ""},
        {"hold takes reservations back", Stop::kHold, Stop::kNone, false, "evict ClusterQueueStopped"},
        {"drain evicts the admitted", Stop::kHoldAndDrain, Stop::kNone, true, "evict ClusterQueueStopped"},
        {"the local queue can do it, too", Stop::kNone, Stop::kHoldAndDrain, true, "evict LocalQueueStopped"},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        Surroundings around;
        around.cluster_queue_stop = it.cluster_queue;
        around.local_queue_stop = it.local_queue;
        around.checks = {"a"};
        const std::string checks =
            std::string("admissionChecks: [{name: a, state: ") + (it.admitted ? "Ready" : "Pending") + "}], ";
        std::string plan = plan_for(workload("", checks + (it.admitted ? kAdmitted : kHolding) + "]"), around);
        EXPECT_EQ(plan.substr(0, plan.find(',')), it.plan);
    }
}

TEST(WorkloadLifecycle, PodsThatAreNotReadyInTime) {
    api::kueue::PodsReadyRules rules;
    rules.timeout = 3600s;
    rules.recovery_timeout = 60s;
    rules.backoff_limit_count = 3;
    rules.backoff_base_seconds = 10;
    rules.backoff_max_seconds = 25;
    Surroundings around;
    around.pods_ready = &rules;
    struct Case {
        const char* sentence;
        std::string status;
        const char* plan;
    };
    const std::string late = "admission: {clusterQueue: q}, conditions: [" +
                             condition("QuotaReserved", true, "QuotaReserved") + ", " +
                             condition("Admitted", true, "Admitted", "2026-01-01T00:30:00Z");
    const Case cases[] = {
        {"there is time left", late + "]", "wake 1800"},
        {"the time is over", kAdmitted + "]", "evict PodsReadyTimeout, again in 10"},
        {"the second time it waits longer", "requeueState: {count: 1}, " + kAdmitted + "]",
         "evict PodsReadyTimeout, again in 20"},
        {"but not for ever", "requeueState: {count: 2}, " + kAdmitted + "]", "evict PodsReadyTimeout, again in 25"},
        {"then it is switched off", "requeueState: {count: 3}, " + kAdmitted + "]", "target RequeuingLimitExceeded"},
        {"ready pods are left alone", kAdmitted + ", " + condition("PodsReady", true, "Started") + "]", ""},
        {"pods that failed have their own time",
         kAdmitted + ", " + condition("PodsReady", false, "WaitForRecovery", "2026-01-01T00:59:30Z") + "]", "wake 30"},
        {"and that can be over, too",
         kAdmitted + ", " + condition("PodsReady", false, "WaitForRecovery", "2026-01-01T00:58:30Z") + "]",
         "evict PodsReadyTimeout, again in 10"},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EXPECT_EQ(plan_for(workload("", it.status), around), it.plan);
    }
}

TEST(WorkloadLifecycle, WhateverWasCountedBeforeTheBackoffHasBounds) {
    api::kueue::PodsReadyRules rules;
    rules.timeout = 3600s;
    Surroundings around;
    around.pods_ready = &rules;
    struct Case {
        const char* sentence;
        int base_seconds;
        int max_seconds;
        const char* count;
        const char* plan;
    };
    const Case cases[] = {
        {"the highest count", 10, 25, "2147483647", "evict PodsReadyTimeout, again in 25"},
        {"the lowest count", 10, 25, "-2147483648", "evict PodsReadyTimeout, again in 10"},
        {"no time doubled often", 0, 25, "2147483647", "evict PodsReadyTimeout, again in 0"},
        {"the longest time", 2147483647, 2147483647, "70", "evict PodsReadyTimeout, again in 2147483647"},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        rules.backoff_base_seconds = it.base_seconds;
        rules.backoff_max_seconds = it.max_seconds;
        const std::string status = std::string("requeueState: {count: ") + it.count + "}, " + kAdmitted + "]";
        EXPECT_EQ(plan_for(workload("", status), around), it.plan);
    }
}

TEST(WorkloadLifecycle, ChecksStartAgainAfterAnEvictionAsInKueue) {
    const std::string checks =
        "admissionChecks: [{name: a, state: Ready, message: fine}, {name: b, state: Retry, retryCount: 2}, "
        "{name: c, state: Pending, message: asks}], ";
    api::kueue::WorkloadStatus status = workload("", checks + kAdmitted + "]").status;
    mark_evicted(status, "Preempted", "m", 1, kNow);
    const auto& ready = status.admission_checks[0];
    EXPECT_EQ(ready.state, "Pending");
    EXPECT_EQ(ready.message, "Reset to Pending after eviction. Previously: Ready");
    const auto& retry = status.admission_checks[1];
    EXPECT_EQ(retry.message, "Reset to Pending after eviction. Previously: Retry");
    EXPECT_EQ(retry.retry_count, 3);
    EXPECT_EQ(status.admission_checks[2].message, "asks") << "a check that waits goes on waiting";
}

TEST(WorkloadLifecycle, CountsOfAnEvictionStopAtTheHighest) {
    const std::string since_year_one = "admission: {clusterQueue: q}, conditions: [" +
                                       condition("Admitted", true, "Admitted", "0001-01-01T00:00:00Z") + "]";
    api::kueue::WorkloadStatus status =
        workload("",
                 "accumulatedPastExecutionTimeSeconds: 7, admissionChecks: [{name: a, state: Retry, retryCount: "
                 "2147483647}], schedulingStats: {evictions: [{reason: Preempted, underlyingCause: '', count: "
                 "2147483647}]}, " +
                     since_year_one)
            .status;
    mark_evicted(status, "Preempted", "m", 1, kNow);
    EXPECT_EQ(status.accumulated_past_execution_time_seconds, 2147483647);
    EXPECT_EQ(status.admission_checks[0].retry_count, 2147483647);
    EXPECT_EQ(count_preemptions(status), 2147483647);
}

}  // namespace lifecycle_test
}  // namespace muster::controllers::queue
