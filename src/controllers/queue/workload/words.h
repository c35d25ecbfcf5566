// What queueing tells users in conditions and events: reasons and messages are Kueue's, as its users and their tools
// match on them. The table in words.cc is the only place of these sentences; words_test.cc replays the situations.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace muster::controllers {

enum class Word : std::uint8_t {
    // QuotaReserved=False.
    kDeactivated,
    kNoQueueName,
    kNoLocalQueue,
    kLocalQueueInactive,
    kNoClusterQueue,
    kClusterQueueInactive,
    kNamespaceMismatch,
    kInvalidResources,
    kGated,
    kWaitsForReplacements,
    kWaitsForPodsReady,
    kPendingEvaluation,
    // QuotaReserved, Admitted.
    kQuotaReserved,
    kAdmitted,
    kNoReservation,
    kUnsatisfiedChecks,
    // Evicted, DeactivationTarget, Preempted.
    kEvictedClusterQueueStopped,
    kEvictedLocalQueueStopped,
    kEvictedDeactivated,
    kEvictedDeactivatedDueTo,
    kEvictedPodsReadyTimeout,
    kEvictedChecksRetry,
    kChecksRejected,
    kExecutionTimeExceeded,
    kRequeuingLimitExceeded,
    kPreempted,
    kInClusterQueue,
    kInCohortReclamation,
    kInCohortFairSharing,
    kInCohortReclaimWhileBorrowing,
    kPreviously,
    // Requeued.
    kReactivated,
    kBackoffFinished,
    kClusterQueueRestarted,
    kLocalQueueRestarted,
    // PodsReady, WaitingForReplacementPods.
    kPodsReady,
    kPodsNotReady,
    kPodsRecover,
    kReplacementsNeeded,
    kReplacementsReady,
    // Finished.
    kOwnerNotFound,
    // Events of Workloads.
    kQuotaReservedEvent,
    kAdmittedEvent,
    kPreemptedWorkloadEvent,
    kChecksRejectedEvent,
    kExecutionTimeExceededEvent,
    kGatedEvent,
    // Active, of a ClusterQueue and of a LocalQueue.
    kClusterQueueReady,
    kClusterQueueTerminating,
    kClusterQueueStopped,
    kClusterQueueCycle,
    kFlavorsMissing,
    kChecksMissing,
    kChecksInactive,
    kLocalQueueReady,
    kLocalQueueStopped,
    kLocalQueueNoClusterQueue,
    kLocalQueueClusterQueueInactive,
};

struct WordRow {
    Word word;
    const char* where;  // a condition and its status, or "event"
    const char* reason;
    const char* message;  // {} stands for a value
};

const WordRow& row_of(Word word);
inline const char* reason_of(Word word) { return row_of(word).reason; }
// The message, with the values in the places that it has for them.
std::string say(Word word, std::initializer_list<std::string_view> values = {});

}  // namespace muster::controllers
