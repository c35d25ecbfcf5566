// What the Job controller decides from: one Job, its pods that still matter, what is remembered of its failures, and
// the time. A view shows everything that the controller itself wrote; whatever else it does not show yet only delays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "api/kinds/batch.h"
#include "base/instant.h"
#include "client/correlate.h"

namespace muster::controllers::jobs {

using PodRef = std::shared_ptr<const api::core::Pod>;

// Which Jobs are this controller's. By default those that Kubernetes' own Job controller would take.
struct Ownership {
    bool unmanaged = true;  // those without spec.managedBy, or with Kubernetes' own value
    Text managed_by{};      // and those with this value; empty: none
    // Those that select their pods by labels of their own choice, too. A controller that is shown only pods with the
    // labels of generated selectors must leave such Jobs alone.
    bool manual_selectors = true;
    bool operator==(const Ownership&) const = default;
};

// KEP-2214 and KEP-2307 describe what turning them off means for Jobs that exist.
struct Gates {
    bool indexed_job = true;
    bool tracking_with_finalizers = true;
    Ownership ownership{};
};

struct Limits {
    std::size_t uncounted_max = 500;      // pods that one status write names, and so finalizers released after it
    std::size_t create_delete_max = 500;  // pods created, or removed to have fewer, in one sync
    Duration backoff_first = 10s;         // after one failure; doubles with each further one
    Duration backoff_max = 10min;
};

// The failures that delay a Job's next pods. The controller keeps the record between syncs (StatusPlan::backoff) and
// restores it with rebuild_backoff() when it starts.
struct BackoffRecord {
    std::int32_t failures_since_success = 0;
    std::optional<Instant> last_failure{};
    bool operator==(const BackoffRecord&) const = default;
};

struct JobView {
    const api::batch::Job& job;
    // Those the Job owns by UID, ordered by name. Finished pods without the finalizer have been counted, and are left
    // out unless needs_all_pods().
    std::span<const PodRef> pods;
    BackoffRecord backoff{};
    Gates gates{};
    Limits limits{};
    Instant now{};
};

// On a Job: its pods have no finalizers and are counted as long as they exist, as before KEP-2307. Such a Job stays so.
inline constexpr const char* kLingeringAnnotation = "muster.dev/counts-lingering-pods";

enum class Tracking {
    kFinalizers,  // pods have finalizers, and are counted once
    kLeaving,     // the gate was turned off: the Job has to be marked first
    kLingering,   // marked: finalizers go, and the pods that exist are counted
};
Tracking tracking_of(const api::batch::Job& job, const Gates& gates);
inline bool needs_all_pods(const api::batch::Job& job, const Gates& gates) {
    return tracking_of(job, gates) != Tracking::kFinalizers;
}

using client::Note;  // an event about the Job

enum class LeftAlone {
    kNo,
    kManagedByOther,   // spec.managedBy says that it is another controller's
    kFinished,         // Complete or Failed; what is left of its finalizers goes
    kUnknownMode,      // a completion mode that this controller does not know
    kIndexedDisabled,  // Indexed, and the gate is off
    kGang,             // spec.scheduling is set: its pods are to be placed together, which is not implemented
    kUnseenPods,       // it selects pods that this controller is not shown
};
bool is_owned(const api::batch::Job& job, const Ownership& ownership);
LeftAlone why_left_alone(const api::batch::Job& job, const Gates& gates);

// What the spec says when its defaults are not filled in.
std::int32_t parallelism_of(const api::batch::JobSpec& spec);
std::int32_t backoff_limit_of(const api::batch::JobSpec& spec);
// Terminating pods are waited for before they count as failed and are replaced.
bool replaces_only_failed(const api::batch::JobSpec& spec);

}  // namespace muster::controllers::jobs
