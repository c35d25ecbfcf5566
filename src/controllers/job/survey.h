// What one look at a Job's pods tells: how each stands, who was counted, which indexes are done, failed or taken. Both
// stages of a sync decide from it. O(pods in view).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "controllers/job/end_state.h"
#include "controllers/job/failure_policy.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/job/pods/view.h"
#include "tally/index_set.h"
#include "tally/tracked_count.h"

namespace muster::controllers::jobs {

struct PodState {
    const api::core::Pod* pod = nullptr;
    std::int32_t index = kNoIndex;  // of an indexed Job, below its completions
    bool finalizer = false;
    bool active = false;
    bool ready = false;  // and active
    bool terminating = false;
    bool succeeded = false;
    bool failed = false;  // by phase or, where the replacement policy lets it, by being deleted
    bool counts = false;  // its end is to be counted: it has the finalizer (or lingers), and an index if it needs one
    bool named = false;   // in uncountedTerminatedPods; how stands there
    FailureAction action = FailureAction::kNoRule;  // of a failed pod
};

struct Survey {
    Tracking tracking = Tracking::kFinalizers;
    bool indexed = false;
    bool per_index = false;        // backoffLimitPerIndex
    std::int32_t completions = 0;  // of an indexed Job
    std::vector<PodState> pods{};  // in the order of the view

    std::int32_t active = 0;
    std::int32_t ready = 0;
    std::int32_t terminating = 0;

    // From the stored status; names whose finalizers are gone have become numbers.
    tally::TrackedCount count;
    // What the counters will be once everything seen here is counted.
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;

    // Of an indexed Job. No index is in both.
    tally::IndexSet completed_before{};
    tally::IndexSet completed{};
    tally::IndexSet failed_before{};
    tally::IndexSet failed_indexes{};
    tally::IndexSet active_indexes{};
    // With backoffLimitPerIndex: for an index that waits for its next pod, where in `pods` its last one is. That one
    // keeps its finalizer until then, as it carries the number of failures.
    std::map<std::int32_t, std::size_t> waiting{};

    // The view's record and every end that no status has told of yet.
    BackoffRecord backoff{};
    std::optional<EndState> end{};
};

Survey make_survey(const JobView& view);

// Ends that are news to the backoff record.
bool is_new_success(const Survey& survey, const PodState& state);
bool is_new_failure(const Survey& survey, const PodState& state);

}  // namespace muster::controllers::jobs
