#include "controllers/queue/workload/words.h"

#include <iterator>

#include "api/kinds/kueue/kueue_names.h"
#include "base/check.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;

constexpr const char* kNotReserved = "QuotaReserved=False";
constexpr const char* kEvicted = "Evicted=True";
constexpr const char* kTarget = "DeactivationTarget=True";
constexpr const char* kRequeued = "Requeued=True";
constexpr const char* kInactive = "Active=False";
constexpr const char* kPreempted = "Preempted=True";
constexpr const char* kEvent = "event";

// In the order of the enumeration.
constexpr WordRow kWords[] = {
    {Word::kDeactivated, kNotReserved, names::kEvictedDeactivated, "The workload is deactivated"},
    {Word::kNoQueueName, kNotReserved, names::kReasonMisconfigured, "The workload names no LocalQueue"},
    {Word::kNoLocalQueue, kNotReserved, names::kReasonMisconfigured, "LocalQueue {} doesn't exist"},
    {Word::kLocalQueueInactive, kNotReserved, names::kReasonSuspended, "LocalQueue {} is inactive"},
    {Word::kNoClusterQueue, kNotReserved, names::kReasonMisconfigured, "ClusterQueue {} doesn't exist"},
    {Word::kClusterQueueInactive, kNotReserved, names::kReasonSuspended, "ClusterQueue {} is inactive"},
    {Word::kNamespaceMismatch, kNotReserved, names::kReasonMisconfigured,
     "workload namespace doesn't match ClusterQueue selector"},
    {Word::kInvalidResources, kNotReserved, names::kReasonMisconfigured, "resources validation failed: {}"},
    {Word::kGated, kNotReserved, names::kReasonAdmissionGated, "Admission is gated by: {}"},
    {Word::kWaitsForReplacements, kNotReserved, names::kReasonPendingEvaluation,
     "The workload waits for pods to replace those that have failed or gone"},
    {Word::kWaitsForPodsReady, kNotReserved, names::kReasonWaitingForPodsReady,
     "waiting for all admitted workloads to be in PodsReady condition"},
    {Word::kPendingEvaluation, kNotReserved, names::kReasonPendingEvaluation,
     "Workload is pending evaluation in the scheduling queue"},
    {Word::kQuotaReserved, "QuotaReserved=True", names::kReasonQuotaReserved, "Quota reserved in ClusterQueue {}"},
    {Word::kAdmitted, "Admitted=True", names::kReasonAdmitted, "The workload is admitted"},
    {Word::kNoReservation, "Admitted=False", names::kReasonNoReservation, "The workload has no reservation"},
    {Word::kUnsatisfiedChecks, "Admitted=False", "UnsatisfiedAdmissionChecks", "The workload has not all checks ready"},
    {Word::kEvictedClusterQueueStopped, kEvicted, names::kEvictedClusterQueueStopped, "The ClusterQueue is stopped"},
    {Word::kEvictedLocalQueueStopped, kEvicted, names::kEvictedLocalQueueStopped, "The LocalQueue is stopped"},
    {Word::kEvictedDeactivated, kEvicted, names::kEvictedDeactivated, "The workload is deactivated"},
    {Word::kEvictedDeactivatedDueTo, kEvicted, names::kEvictedDeactivatedDueToPrefix,
     "The workload is deactivated due to {}"},
    {Word::kEvictedPodsReadyTimeout, kEvicted, names::kEvictedPodsReadyTimeout, "Exceeded the PodsReady timeout {}"},
    {Word::kEvictedChecksRetry, kEvicted, names::kEvictedAdmissionCheck, "Evicted due to {}"},
    {Word::kChecksRejected, kTarget, names::kCauseAdmissionCheck, "{}"},
    {Word::kExecutionTimeExceeded, kTarget, names::kCauseMaximumExecutionTimeExceeded,
     "exceeding the maximum execution time"},
    {Word::kRequeuingLimitExceeded, kTarget, names::kCauseRequeuingLimitExceeded,
     "exceeding the maximum number of re-queuing retries"},
    {Word::kPreempted, kPreempted, names::kEvictedPreempted,
     "Preempted to accommodate a workload (UID: {}, JobUID: {}) due to {}; preemptor path: {}; preemptee path: {}"},
    {Word::kInClusterQueue, kPreempted, names::kPreemptedInClusterQueue, "prioritization in the ClusterQueue"},
    {Word::kInCohortReclamation, kPreempted, names::kPreemptedInCohortReclamation, "reclamation within the cohort"},
    {Word::kInCohortFairSharing, kPreempted, names::kPreemptedInCohortFairSharing, "Fair Sharing within the cohort"},
    {Word::kInCohortReclaimWhileBorrowing, kPreempted, names::kPreemptedInCohortReclaimWhileBorrowing,
     "reclamation within the cohort while borrowing"},
    {Word::kPreviously, "Evicted=False", names::kReasonQuotaReserved, "Previously: {}"},
    {Word::kReactivated, kRequeued, names::kRequeuedReactivated, "The workload was reactivated"},
    {Word::kBackoffFinished, kRequeued, names::kRequeuedBackoffFinished, "The workload backoff was finished"},
    {Word::kClusterQueueRestarted, kRequeued, names::kRequeuedClusterQueueRestarted,
     "The ClusterQueue was restarted after being stopped"},
    {Word::kLocalQueueRestarted, kRequeued, names::kRequeuedLocalQueueRestarted,
     "The LocalQueue was restarted after being stopped"},
    {Word::kPodsReady, "PodsReady=True", names::kPodsReadyStarted,
     "All pods reached readiness and the workload is running"},
    {Word::kPodsNotReady, "PodsReady=False", names::kPodsReadyWaitForStart, "Not all pods are ready or succeeded"},
    {Word::kPodsRecover, "PodsReady=False", names::kPodsReadyWaitForRecovery,
     "At least one pod has failed, waiting for recovery"},
    {Word::kReplacementsNeeded, "WaitingForReplacementPods=True", names::kReplacementPodsFailed,
     "Some Failed pods need replacement"},
    {Word::kReplacementsReady, "WaitingForReplacementPods=False", names::kReplacementPodsReady,
     "No pods need replacement"},
    {Word::kOwnerNotFound, "Finished=True", names::kFinishedOwnerNotFound, "The workload's owner no longer exists"},
    {Word::kQuotaReservedEvent, kEvent, names::kReasonQuotaReserved,
     "Quota reserved in ClusterQueue {}, wait time since queued was {}s"},
    {Word::kAdmittedEvent, kEvent, names::kReasonAdmitted,
     "Admitted by ClusterQueue {}, wait time since reservation was {}s"},
    {Word::kPreemptedWorkloadEvent, kEvent, "PreemptedWorkload", "Preempted workload {} (UID: {}) in ClusterQueue {}"},
    {Word::kChecksRejectedEvent, kEvent, "AdmissionCheckRejected", "Deactivated due to {}"},
    {Word::kExecutionTimeExceededEvent, kEvent, names::kCauseMaximumExecutionTimeExceeded,
     "The maximum execution time ({}s) exceeded"},
    {Word::kGatedEvent, kEvent, names::kReasonAdmissionGated, "Admission is gated by: {}"},
    {Word::kClusterQueueReady, "Active=True", names::kActiveReady, "Can admit new workloads"},
    {Word::kClusterQueueTerminating, kInactive, names::kActiveTerminating,
     "Can't admit new workloads; clusterQueue is terminating"},
    {Word::kClusterQueueStopped, kInactive, names::kActiveStopped, "is stopped"},
    {Word::kClusterQueueCycle, kInactive, names::kActiveCohortCycle, "its cohorts are above each other in a cycle"},
    {Word::kFlavorsMissing, kInactive, names::kActiveFlavorNotFound, "references missing ResourceFlavor(s): {}"},
    {Word::kChecksMissing, kInactive, names::kActiveAdmissionCheckNotFound, "references missing AdmissionCheck(s): {}"},
    {Word::kChecksInactive, kInactive, names::kActiveAdmissionCheckInactive,
     "references inactive AdmissionCheck(s): {}"},
    {Word::kLocalQueueReady, "Active=True", names::kActiveReady, "Can submit new workloads to localQueue"},
    {Word::kLocalQueueStopped, kInactive, names::kActiveStopped, "LocalQueue is stopped"},
    {Word::kLocalQueueNoClusterQueue, kInactive, names::kActiveClusterQueueDoesNotExist,
     "Can't submit new workloads to clusterQueue"},
    {Word::kLocalQueueClusterQueueInactive, kInactive, names::kActiveClusterQueueIsInactive,
     "Can't submit new workloads to clusterQueue"},
};
constexpr std::size_t kWordCount = static_cast<std::size_t>(Word::kLocalQueueClusterQueueInactive) + 1;
static_assert(std::size(kWords) == kWordCount);

constexpr bool in_order() {
    for (std::size_t i = 0; i < kWordCount; ++i)
        if (static_cast<std::size_t>(kWords[i].word) != i) return false;
    return true;
}
static_assert(in_order());

}  // namespace

const WordRow& row_of(Word word) { return kWords[static_cast<std::size_t>(word)]; }

std::string say(Word word, std::initializer_list<std::string_view> values) {
    std::string text;
    std::string_view rest = row_of(word).message;
    for (const std::string_view value : values) {
        const std::size_t place = rest.find("{}");
        CHECK(place != std::string_view::npos, "a message has no place for a value");
        text.append(rest.substr(0, place)).append(value);
        rest.remove_prefix(place + 2);
    }
    return text.append(rest);
}

}  // namespace muster::controllers
