// Names of the queueing group that objects carry: labels, annotations, finalizers and gates, conditions and their
// reasons, states and policies. Spelled as Kueue spells them.
#pragma once

namespace muster::api::kueue {

// On pods, jobs and templates.
inline constexpr const char* kQueueNameLabel = "kueue.x-k8s.io/queue-name";
inline constexpr const char* kPriorityClassLabel = "kueue.x-k8s.io/priority-class";
inline constexpr const char* kMaxExecTimeSecondsLabel = "kueue.x-k8s.io/max-exec-time-seconds";
inline constexpr const char* kPrebuiltWorkloadName = "kueue.x-k8s.io/prebuilt-workload-name";  // label or annotation
inline constexpr const char* kManagedLabel = "kueue.x-k8s.io/managed";                         // value kTrue
inline constexpr const char* kAdmissionGatedByAnnotation = "kueue.x-k8s.io/admission-gated-by";
inline constexpr const char* kElasticJobAnnotation = "kueue.x-k8s.io/elastic-job";
inline constexpr const char* kTrue = "true";
inline constexpr const char* kFalse = "false";

// On pods alone.
inline constexpr const char* kPodFinalizer = "kueue.x-k8s.io/managed";
inline constexpr const char* kAdmissionGate = "kueue.x-k8s.io/admission";
inline constexpr const char* kTopologyGate = "kueue.x-k8s.io/topology";
inline constexpr const char* kPodGroupName = "kueue.x-k8s.io/pod-group-name";  // label; as annotation it wins
inline constexpr const char* kPodGroupTotalCountAnnotation = "kueue.x-k8s.io/pod-group-total-count";
inline constexpr const char* kPodGroupFastAdmissionAnnotation = "kueue.x-k8s.io/pod-group-fast-admission";  // kTrue
inline constexpr const char* kPodGroupServingAnnotation = "kueue.x-k8s.io/pod-group-serving";               // kTrue
inline constexpr const char* kPodGroupSetsAnnotation = "kueue.x-k8s.io/pod-group-sets";
inline constexpr const char* kPodGroupRoleAnnotation = "kueue.x-k8s.io/pod-group-role";  // a label, too
inline constexpr const char* kPodGroupPodIndexLabel = "kueue.x-k8s.io/pod-group-pod-index";
inline constexpr const char* kPodGroupPodIndexLabelAnnotation = "kueue.x-k8s.io/pod-group-pod-index-label";
inline constexpr const char* kRetriableInGroupAnnotation = "kueue.x-k8s.io/retriable-in-group";  // kFalse
inline constexpr const char* kRoleHashAnnotation = "kueue.x-k8s.io/role-hash";
// Muster's own: the pod was put into a queue when it was created. An admission policy, which can compute no role hash,
// writes it in place of one.
inline constexpr const char* kQueuedAnnotation = "muster.dev/queued";  // kTrue
inline constexpr const char* kSuspendingParentAnnotation = "kueue.x-k8s.io/pod-suspending-parent";
inline constexpr const char* kPodTerminationTargetCondition = "TerminationTarget";
inline constexpr const char* kPodEvictedReasonPrefix = "WorkloadEvictedDueTo";  // + the reason of the eviction

// Written on pods and templates when they start.
inline constexpr const char* kPodSetLabel = "kueue.x-k8s.io/podset";
inline constexpr const char* kClusterQueueNameLabel = "kueue.x-k8s.io/cluster-queue-name";
inline constexpr const char* kLocalQueueNameLabel = "kueue.x-k8s.io/local-queue-name";
inline constexpr const char* kWorkloadAnnotation = "kueue.x-k8s.io/workload";

// On jobs alone.
inline constexpr const char* kJobMinParallelismAnnotation = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr const char* kJobCompletionsEqualParallelismAnnotation =
    "kueue.x-k8s.io/job-completions-equal-parallelism";
inline constexpr const char* kStoppingAnnotation = "kueue.x-k8s.io/stopping";

// On workloads and queues.
inline constexpr const char* kResourceInUseFinalizer = "kueue.x-k8s.io/resource-in-use";
inline constexpr const char* kJobUidLabel = "kueue.x-k8s.io/job-uid";
inline constexpr const char* kIsGroupWorkloadAnnotation = "kueue.x-k8s.io/is-group-workload";  // kTrue
inline constexpr const char* kJobOwnerGvkAnnotation = "kueue.x-k8s.io/job-owner-gvk";
inline constexpr const char* kJobOwnerNameAnnotation = "kueue.x-k8s.io/job-owner-name";
inline constexpr const char* kPriorityBoostAnnotation = "kueue.x-k8s.io/priority-boost";

inline constexpr const char* kDefaultLocalQueueName = "default";
inline constexpr const char* kDefaultPodSetName = "main";
inline constexpr const char* kPodsResource = "pods";  // counts pods

// Topology requests on pods; they are refused plainly.
inline constexpr const char* kPodSetRequiredTopologyAnnotation = "kueue.x-k8s.io/podset-required-topology";
inline constexpr const char* kPodSetPreferredTopologyAnnotation = "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr const char* kPodSetUnconstrainedTopologyAnnotation = "kueue.x-k8s.io/podset-unconstrained-topology";

// Conditions of a Workload.
inline constexpr const char* kWorkloadQuotaReserved = "QuotaReserved";
inline constexpr const char* kWorkloadAdmitted = "Admitted";
inline constexpr const char* kWorkloadFinished = "Finished";
inline constexpr const char* kWorkloadPodsReady = "PodsReady";
inline constexpr const char* kWorkloadEvicted = "Evicted";
inline constexpr const char* kWorkloadPreempted = "Preempted";
inline constexpr const char* kWorkloadRequeued = "Requeued";
inline constexpr const char* kWorkloadDeactivationTarget = "DeactivationTarget";
inline constexpr const char* kWorkloadWaitingForReplacementPods = "WaitingForReplacementPods";
inline constexpr const char* kWorkloadBlockedOnPreemptionGates = "BlockedOnPreemptionGates";

// Reasons of QuotaReserved: True, and False.
inline constexpr const char* kReasonQuotaReserved = "QuotaReserved";
inline constexpr const char* kReasonPending = "Pending";
inline constexpr const char* kReasonInadmissible = "Inadmissible";
inline constexpr const char* kReasonWaiting = "Waiting";
inline constexpr const char* kReasonOnHold = "OnHold";
inline constexpr const char* kReasonAdmissionGated = "AdmissionGated";
inline constexpr const char* kReasonNoMatchingFlavor = "NoMatchingFlavor";
inline constexpr const char* kReasonWaitingForQuota = "WaitingForQuota";
inline constexpr const char* kReasonExceedsMaxQuota = "ExceedsMaxQuota";
inline constexpr const char* kReasonWaitingForPreemptedWorkloads = "WaitingForPreemptedWorkloads";
inline constexpr const char* kReasonMisconfigured = "Misconfigured";
inline constexpr const char* kReasonSuspended = "Suspended";
inline constexpr const char* kReasonPendingEvaluation = "PendingEvaluation";
inline constexpr const char* kReasonWaitingForPodsReady = "WaitingForPodsReady";

// Reasons of Admitted: True, and False.
inline constexpr const char* kReasonAdmitted = "Admitted";
inline constexpr const char* kReasonNoReservation = "NoReservation";
inline constexpr const char* kReasonUnsatisfiedChecks = "UnsatisfiedChecks";
inline constexpr const char* kReasonNoReservationUnsatisfiedChecks = "NoReservationUnsatisfiedChecks";

// Reasons of Evicted.
inline constexpr const char* kEvictedPreempted = "Preempted";
inline constexpr const char* kEvictedPodsReadyTimeout = "PodsReadyTimeout";
inline constexpr const char* kEvictedAdmissionCheck = "AdmissionCheck";
inline constexpr const char* kEvictedClusterQueueStopped = "ClusterQueueStopped";
inline constexpr const char* kEvictedLocalQueueStopped = "LocalQueueStopped";
inline constexpr const char* kEvictedNodeFailures = "NodeFailures";
inline constexpr const char* kEvictedDeactivated = "Deactivated";
// Deactivated says why after "DeactivatedDueTo"; the same words are reasons of DeactivationTarget and underlying
// causes.
inline constexpr const char* kEvictedDeactivatedDueToPrefix = "DeactivatedDueTo";
inline constexpr const char* kCauseRequeuingLimitExceeded = "RequeuingLimitExceeded";
inline constexpr const char* kCauseMaximumExecutionTimeExceeded = "MaximumExecutionTimeExceeded";
inline constexpr const char* kCauseAdmissionCheck = "AdmissionCheck";
inline constexpr const char* kEventEvictedDueToPrefix = "EvictedDueTo";

// Reasons of Preempted.
inline constexpr const char* kPreemptedInClusterQueue = "InClusterQueue";
inline constexpr const char* kPreemptedInCohortReclamation = "InCohortReclamation";
inline constexpr const char* kPreemptedInCohortFairSharing = "InCohortFairSharing";
inline constexpr const char* kPreemptedInCohortReclaimWhileBorrowing = "InCohortReclaimWhileBorrowing";

// Reasons of Requeued, beside those of Evicted.
inline constexpr const char* kRequeuedReactivated = "Reactivated";
inline constexpr const char* kRequeuedBackoffFinished = "BackoffFinished";
inline constexpr const char* kRequeuedClusterQueueRestarted = "ClusterQueueRestarted";
inline constexpr const char* kRequeuedLocalQueueRestarted = "LocalQueueRestarted";

// Reasons of PodsReady and of WaitingForReplacementPods.
inline constexpr const char* kPodsReadyWaitForStart = "WaitForStart";
inline constexpr const char* kPodsReadyWaitForRecovery = "WaitForRecovery";
inline constexpr const char* kPodsReadyStarted = "Started";
inline constexpr const char* kPodsReadyRecovered = "Recovered";
inline constexpr const char* kReplacementPodsFailed = "PodsFailed";
inline constexpr const char* kReplacementPodsReady = "PodsReady";

// Reasons of Finished.
inline constexpr const char* kFinishedSucceeded = "Succeeded";
inline constexpr const char* kFinishedFailed = "Failed";
inline constexpr const char* kFinishedOutOfSync = "OutOfSync";
inline constexpr const char* kFinishedOwnerNotFound = "OwnerNotFound";
inline constexpr const char* kFinishedFailedToStart = "FailedToStart";

// The condition of queues and checks, and its reasons.
inline constexpr const char* kActiveCondition = "Active";
inline constexpr const char* kActiveReady = "Ready";
inline constexpr const char* kActiveTerminating = "Terminating";
inline constexpr const char* kActiveStopped = "Stopped";
inline constexpr const char* kActiveFlavorNotFound = "FlavorNotFound";
inline constexpr const char* kActiveAdmissionCheckNotFound = "AdmissionCheckNotFound";
inline constexpr const char* kActiveAdmissionCheckInactive = "AdmissionCheckInactive";
inline constexpr const char* kActiveTopologyNotFound = "TopologyNotFound";
inline constexpr const char* kActiveUnknown = "Unknown";
inline constexpr const char* kActiveClusterQueueIsInactive = "ClusterQueueIsInactive";  // of a LocalQueue
inline constexpr const char* kActiveClusterQueueDoesNotExist = "ClusterQueueDoesNotExist";
inline constexpr const char* kActiveCohortCycle = "CohortCycle";

// Policies and states.
inline constexpr const char* kStrictFifo = "StrictFIFO";
inline constexpr const char* kBestEffortFifo = "BestEffortFIFO";
inline constexpr const char* kStopNone = "None";
inline constexpr const char* kStopHold = "Hold";
inline constexpr const char* kStopHoldAndDrain = "HoldAndDrain";
inline constexpr const char* kMayStopSearch = "MayStopSearch";
inline constexpr const char* kTryNextFlavor = "TryNextFlavor";
inline constexpr const char* kBorrowingOverPreemption = "BorrowingOverPreemption";
inline constexpr const char* kPreemptionOverBorrowing = "PreemptionOverBorrowing";
inline constexpr const char* kPreemptNever = "Never";
inline constexpr const char* kPreemptAny = "Any";
inline constexpr const char* kPreemptLowerPriority = "LowerPriority";
inline constexpr const char* kPreemptLowerOrNewerEqualPriority = "LowerOrNewerEqualPriority";
inline constexpr const char* kCheckPending = "Pending";
inline constexpr const char* kCheckReady = "Ready";
inline constexpr const char* kCheckRetry = "Retry";
inline constexpr const char* kCheckRejected = "Rejected";
inline constexpr const char* kConditionTrue = "True";
inline constexpr const char* kConditionFalse = "False";
inline constexpr const char* kWorkloadPriorityClassGroup = "kueue.x-k8s.io";
inline constexpr const char* kWorkloadPriorityClassKind = "WorkloadPriorityClass";
inline constexpr const char* kPodPriorityClassGroup = "scheduling.k8s.io";
inline constexpr const char* kPodPriorityClassKind = "PriorityClass";

// Limits.
inline constexpr int kPodSetsMax = 18;
inline constexpr int kAdmissionChecksMax = 8;  // of one workload

}  // namespace muster::api::kueue
