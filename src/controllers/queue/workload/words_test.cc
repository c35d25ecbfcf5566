#include "controllers/queue/workload/words.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "api/codec/decode.h"
#include "controllers/queue/admission/queues/queue_status.h"
#include "controllers/queue/admission/workloads/lifecycle.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers {
namespace words_test {

using api::kueue::Workload;

TEST(QueueWords, PutValuesInTheirPlaces) {
    EXPECT_EQ(say(Word::kNoLocalQueue, {"q"}), "LocalQueue q doesn't exist");
    EXPECT_EQ(say(Word::kPreempted, {"u", "j", "prioritization in the ClusterQueue", "/a", "/b"}),
              "Preempted to accommodate a workload (UID: u, JobUID: j) due to prioritization in the ClusterQueue; "
              "preemptor path: /a; preemptee path: /b");
    EXPECT_EQ(say(Word::kAdmitted), "The workload is admitted");
}

// A Workload that holds quota, in the state that a case says, after one decision.
std::string decide_words(const std::string& spec, const std::string& status, const queue::Surroundings& around,
                         const char* condition) {
    Workload workload =
        api::from_yaml<Workload>("{metadata: {name: w, namespace: ns}, spec: {" + spec + "}, status: {" + status + "}}")
            .value();
    const queue::LifecyclePlan plan = queue::decide_lifecycle(workload, around);
    if (!plan.status) return "nothing";
    const auto* found = find_condition(*plan.status, condition);
    if (!found) return "no condition";
    return found->status.str() + " " + found->reason.str() + ": " + found->message.str();
}

TEST(QueueWords, AreKueuesWhereAWorkloadsLifeTakesATurn) {
    const std::string held =
        "admission: {clusterQueue: c}, conditions: [{type: QuotaReserved, status: 'True', reason: QuotaReserved, "
        "message: m, lastTransitionTime: '2024-01-01T00:00:00Z'}";
    const std::string admitted = held +
                                 ", {type: Admitted, status: 'True', reason: Admitted, message: m, lastTransitionTime: "
                                 "'2024-01-01T00:00:00Z'}]";
    const std::string off = "conditions: [{type: Requeued, status: 'False', reason: ";
    api::kueue::PodsReadyRules rules;
    rules.timeout = 1s;
    rules.backoff_limit_count = 5;
    struct Case {
        const char* name;
        std::string spec;
        std::string status;
        std::function<void(queue::Surroundings&)> around;
        const char* condition;
        const char* says;
    };
    const auto plain = [](queue::Surroundings&) {};
    const Case cases[] = {
        {"its ClusterQueue is drained", "", admitted,
         [](queue::Surroundings& it) { it.cluster_queue_stop = queue::Stop::kHoldAndDrain; }, "Evicted",
         "True ClusterQueueStopped: The ClusterQueue is stopped"},
        {"its LocalQueue is drained", "", admitted,
         [](queue::Surroundings& it) { it.local_queue_stop = queue::Stop::kHoldAndDrain; }, "Evicted",
         "True LocalQueueStopped: The LocalQueue is stopped"},
        {"it is deactivated while it holds quota", "active: false", admitted, plain, "Evicted",
         "True Deactivated: The workload is deactivated"},
        {"it is deactivated while it waits", "active: false", "", plain, "QuotaReserved",
         "False Deactivated: The workload is deactivated"},
        {"it has run too long", "maximumExecutionTimeSeconds: 1", admitted, plain, "DeactivationTarget",
         "True MaximumExecutionTimeExceeded: exceeding the maximum execution time"},
        {"it is deactivated as it has run too long", "active: false",
         held + ", {type: DeactivationTarget, status: 'True', reason: MaximumExecutionTimeExceeded, message: exceeding "
                "the maximum execution time, lastTransitionTime: '2024-01-01T00:00:00Z'}]",
         plain, "Evicted",
         "True DeactivatedDueToMaximumExecutionTimeExceeded: The workload is deactivated due to exceeding the maximum "
         "execution time"},
        {"its pods are not ready in time", "", admitted, [&](queue::Surroundings& it) { it.pods_ready = &rules; },
         "Evicted", "True PodsReadyTimeout: Exceeded the PodsReady timeout ns/w"},
        {"a check wants another try", "",
         held + "], admissionChecks: [{name: k, state: Retry, message: later, lastTransitionTime: "
                "'2024-01-01T00:00:00Z'}]",
         plain, "Evicted", "True AdmissionCheck: Evicted due to AdmissionCheck in Retry state: \"k\" (later)"},
        {"a check rejects it", "",
         held + "], admissionChecks: [{name: k, state: Rejected, message: '', lastTransitionTime: "
                "'2024-01-01T00:00:00Z'}]",
         plain, "DeactivationTarget", "True AdmissionCheck: AdmissionCheck in Rejected state: \"k\""},
        {"all its checks are ready", "", held + "]", plain, "Admitted", "True Admitted: The workload is admitted"},
        {"it is activated again", "", off + "Deactivated, message: m, lastTransitionTime: '2024-01-01T00:00:00Z'}]",
         plain, "Requeued", "True Reactivated: The workload was reactivated"},
        {"its backoff is over", "", off + "PodsReadyTimeout, message: m, lastTransitionTime: '2024-01-01T00:00:00Z'}]",
         plain, "Requeued", "True BackoffFinished: The workload backoff was finished"},
        {"its ClusterQueue runs again", "",
         off + "ClusterQueueStopped, message: m, lastTransitionTime: '2024-01-01T00:00:00Z'}]", plain, "Requeued",
         "True ClusterQueueRestarted: The ClusterQueue was restarted after being stopped"},
        {"its LocalQueue runs again", "",
         off + "LocalQueueStopped, message: m, lastTransitionTime: '2024-01-01T00:00:00Z'}]", plain, "Requeued",
         "True LocalQueueRestarted: The LocalQueue was restarted after being stopped"},
    };
    for (const Case& one : cases) {
        queue::Surroundings around;
        around.now = Instant::from_unix_seconds(1'800'000'000);
        one.around(around);
        EXPECT_EQ(decide_words(one.spec, one.status, around, one.condition), one.says) << one.name;
    }
}

TEST(QueueWords, AreKueuesWhenQuotaIsGivenBack) {
    api::kueue::WorkloadStatus status;
    const Instant now = Instant::from_unix_seconds(1000);
    set_condition(status, "Evicted", true, "Preempted", "for another", 1, now);
    set_condition(status, "Admitted", true, "Admitted", "", 1, now);
    give_back_quota(status, 1, now);
    const auto says = [&](const char* type) {
        const auto* found = find_condition(status, type);
        return found->status.str() + " " + found->reason.str() + ": " + found->message.str();
    };
    EXPECT_EQ(says("QuotaReserved"), "False PendingEvaluation: for another");
    EXPECT_EQ(says("Requeued"), "True Preempted: for another");
    EXPECT_EQ(says("Admitted"), "False NoReservation: The workload has no reservation");
    keep_pods_ready(status, false, 1, now);
    EXPECT_EQ(says("PodsReady"), "False WaitForStart: Not all pods are ready or succeeded");
    keep_pods_ready(status, true, 1, now);
    EXPECT_EQ(says("PodsReady"), "True Started: All pods reached readiness and the workload is running");
    keep_pods_ready(status, false, 1, now);
    EXPECT_EQ(says("PodsReady"), "False WaitForRecovery: At least one pod has failed, waiting for recovery");
    keep_pods_ready(status, true, 1, now);
    EXPECT_EQ(says("PodsReady"), "True Recovered: All pods reached readiness and the workload is running");
}

TEST(QueueWords, AreKueuesOfAQueueThatAdmitsNothing) {
    const auto queue_of = [](const std::string& spec) {
        return api::from_yaml<api::kueue::ClusterQueue>("{metadata: {name: c}, spec: {" + spec + "}}").value();
    };
    const std::string flavors =
        "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f}, {name: g}]}], admissionChecksStrategy: "
        "{admissionChecks: [{name: k}, {name: l}]}";
    queue::QueueNeeds needs;
    needs.has_flavor = [](const Text&) { return false; };
    needs.check_active = [](const Text& name) { return name == "k" ? std::nullopt : std::optional(false); };
    const auto says = [](const queue::Activity& it) { return it.reason.str() + ": " + it.message; };
    EXPECT_EQ(
        says(queue::find_activity(queue_of(flavors), needs)),
        "FlavorNotFound: Can't admit new workloads: references missing ResourceFlavor(s): f,g, references missing "
        "AdmissionCheck(s): k, references inactive AdmissionCheck(s): l.");
    EXPECT_EQ(says(queue::find_activity(queue_of("stopPolicy: Hold"), needs)),
              "Stopped: Can't admit new workloads: is stopped.");
    EXPECT_EQ(says(queue::find_activity(queue_of(""), needs)), "Ready: Can admit new workloads");
    api::kueue::LocalQueue local;
    const queue::Activity on{true, "Ready", ""};
    const queue::Activity off{false, "Stopped", ""};
    EXPECT_EQ(says(queue::find_activity(local, &on)), "Ready: Can submit new workloads to localQueue");
    EXPECT_EQ(says(queue::find_activity(local, &off)),
              "ClusterQueueIsInactive: Can't submit new workloads to clusterQueue");
    EXPECT_EQ(says(queue::find_activity(local, nullptr)),
              "ClusterQueueDoesNotExist: Can't submit new workloads to clusterQueue");
    local.spec.stop_policy = "Hold";
    EXPECT_EQ(says(queue::find_activity(local, &on)), "Stopped: LocalQueue is stopped");
}

}  // namespace words_test
}  // namespace muster::controllers
