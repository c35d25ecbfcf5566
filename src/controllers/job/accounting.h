// Which pods a status accounts for, and whose finalizer may go after it is stored: the middle steps of KEP-2307. One
// batch is bounded, so that a status stays small and a large Job does not starve others.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "controllers/job/decide.h"
#include "controllers/job/survey.h"

namespace muster::controllers::jobs {

// What the first stage did to a pod.
enum class PodFate : std::uint8_t {
    kStays,
    kRemoved,     // it has its finalizer still, if it had one
    kDismissed,   // removed, and its finalizer went first: it is not to be counted
    kNotRemoved,  // it should have gone, but that failed
};
// For each pod of the view.
std::vector<PodFate> fates_of(const JobView& view, const PodsPlan& plan, const PodsOutcome& outcome);

struct Accounts {
    tally::TrackedCount count;      // with the new names
    std::vector<PodRef> release{};  // in the order in which they were accounted for; lowest indexes first
    bool more = false;              // than fit into one batch
    std::array<std::int32_t, 4> failure_actions{};
    std::vector<Instant> successes{};  // ends that this status tells of first
    std::vector<Instant> failures{};
};

// `end` is the Job's end, if it is known. Then no pod is waited for, and a pod that was removed before it succeeded
// counts as failed if the Job fails, and does not count if the Job succeeds.
Accounts account_for(const JobView& view, const Survey& survey, const std::vector<PodFate>& fates,
                     const std::optional<EndState>& end);

}  // namespace muster::controllers::jobs
