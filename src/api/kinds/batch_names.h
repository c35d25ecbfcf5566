// Names that Jobs and their pods carry: labels, annotations, the finalizer, condition types and modes.
#pragma once

namespace muster::api::batch {

inline constexpr const char* kJobNameLabel = "batch.kubernetes.io/job-name";
inline constexpr const char* kControllerUidLabel = "batch.kubernetes.io/controller-uid";
inline constexpr const char* kLegacyJobNameLabel = "job-name";
inline constexpr const char* kLegacyControllerUidLabel = "controller-uid";
inline constexpr const char* kCompletionIndexAnnotation = "batch.kubernetes.io/job-completion-index";  // a label, too
inline constexpr const char* kIndexFailureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
inline constexpr const char* kIndexIgnoredFailureCountAnnotation =
    "batch.kubernetes.io/job-index-ignored-failure-count";
inline constexpr const char* kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr const char* kJobController = "kubernetes.io/job-controller";  // what managedBy means when absent
// On Jobs that an interrupted `muster run` has suspended. Only the next `muster run` resumes them.
inline constexpr const char* kInterruptedAnnotation = "run.muster.dev/interrupted";

inline constexpr const char* kNonIndexed = "NonIndexed";
inline constexpr const char* kIndexed = "Indexed";

inline constexpr const char* kConditionSuspended = "Suspended";
inline constexpr const char* kConditionComplete = "Complete";
inline constexpr const char* kConditionFailed = "Failed";
inline constexpr const char* kConditionFailureTarget = "FailureTarget";
inline constexpr const char* kConditionSuccessCriteriaMet = "SuccessCriteriaMet";

}  // namespace muster::api::batch
