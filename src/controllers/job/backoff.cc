#include "controllers/job/backoff.h"

#include <algorithm>
#include <vector>

#include "api/kinds/job_state.h"
#include "base/saturate.h"
#include "controllers/job/pods/pod_state.h"
#include "tally/index_set.h"
#include "tally/tracked_count.h"

namespace muster::controllers::jobs {

namespace {

Duration backoff_delay(std::int32_t failures, const Limits& limits) {
    Duration delay = limits.backoff_first;
    for (std::int32_t i = 1; i < failures && delay < limits.backoff_max; ++i) delay *= 2;
    return std::min(delay, limits.backoff_max);
}

std::int32_t add_failures(std::int32_t failures, std::size_t more) {
    return add_sat(failures, saturate_cast<std::int32_t>(more));
}

// Has a status that is stored already told of this pod's end?
bool is_accounted_for(const api::core::Pod& pod, const tally::TrackedCount& count, const tally::IndexSet& completed) {
    if (!has_tracking_finalizer(pod) || count.named(pod.metadata.uid)) return true;
    return has_succeeded(pod) && completed.contains(index_of(pod));
}

}  // namespace

BackoffRecord update_backoff(const BackoffRecord& record, std::span<const Instant> successes,
                             std::span<const Instant> failures, Instant now) {
    BackoffRecord updated = successes.empty() ? record : BackoffRecord{};
    Instant since;  // failures up to the last success are forgotten
    for (const Instant success : successes) since = std::max(since, std::min(success, now));
    std::size_t more = 0;
    for (const Instant failure : failures) {
        const Instant at = std::min(failure, now);
        if (!successes.empty() && at <= since) continue;
        ++more;
        if (!updated.last_failure || *updated.last_failure < at) updated.last_failure = at;
    }
    updated.failures_since_success = add_failures(updated.failures_since_success, more);
    return updated;
}

BackoffRecord rebuild_backoff(const api::batch::Job& job, const Gates& gates, std::span<const PodRef> all_pods,
                              Instant now) {
    if (needs_all_pods(job, gates)) return {};  // every sync sees them all
    const tally::TrackedCount count(job.status);
    const bool indexed = api::batch::is_indexed(job.spec) && job.spec.completions;
    const auto completed =
        indexed ? tally::IndexSet::parse(job.status.completed_indexes, *job.spec.completions) : tally::IndexSet();
    std::vector<Instant> successes;
    std::vector<Instant> failures;
    for (const PodRef& pod : all_pods) {
        if (!has_ended(*pod) || !is_accounted_for(*pod, count, completed)) continue;
        (has_succeeded(*pod) ? successes : failures).push_back(finish_time_of(*pod));
    }
    return update_backoff({}, successes, failures, now);
}

std::optional<Instant> backoff_end(const BackoffRecord& record, const Limits& limits, Instant now) {
    if (!record.last_failure) return std::nullopt;
    return backoff_end(record.failures_since_success, *record.last_failure, limits, now);
}

std::optional<Instant> backoff_end(std::int32_t failures, Instant last_failure, const Limits& limits, Instant now) {
    if (failures <= 0) return std::nullopt;
    const Instant end = last_failure + backoff_delay(failures, limits);
    return now < end ? std::optional(end) : std::nullopt;
}

}  // namespace muster::controllers::jobs
