#include "controllers/job/survey.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "controllers/job/backoff.h"
#include "controllers/job/per_index.h"

namespace muster::controllers::jobs {

using tally::Ending;
using tally::IndexSet;

namespace {

// Before KEP-2307 only the phase counted; and a pod that may still end well is waited for where the policy says so. A
// Job that has succeeded removes pods that it can do without: whatever becomes of them then is no failure.
bool is_considered_failed(const api::core::Pod& pod, const api::batch::Job& job, Tracking tracking) {
    if (is_deleting(pod) && api::batch::has_condition(job.status, api::batch::kConditionSuccessCriteriaMet))
        return false;
    if (has_failed(pod)) return true;
    if (tracking != Tracking::kFinalizers || replaces_only_failed(job.spec)) return false;
    return is_terminating(pod);
}

PodState make_state(const api::core::Pod& pod, const JobView& view, const Survey& survey) {
    PodState state{.pod = &pod};
    state.finalizer = has_tracking_finalizer(pod);
    state.succeeded = has_succeeded(pod);
    state.active = is_active(pod);
    state.ready = state.active && is_ready(pod);
    state.terminating = is_terminating(pod);
    state.failed = is_considered_failed(pod, view.job, survey.tracking);
    if (survey.indexed) {
        const std::int32_t index = index_of(pod);
        if (index < survey.completions) state.index = index;
    }
    const bool counted_here = state.finalizer || survey.tracking != Tracking::kFinalizers;
    state.counts = counted_here && (!survey.indexed || state.index != kNoIndex);
    if (state.failed) state.action = match_failure_policy(view.job.spec.pod_failure_policy.get(), pod).action;
    return state;
}

void look_at_pods(const JobView& view, Survey& survey) {
    survey.pods.reserve(view.pods.size());
    std::vector<std::int32_t> active_indexes;
    for (const PodRef& pod : view.pods) {
        const PodState& state = survey.pods.emplace_back(make_state(*pod, view, survey));
        survey.active += state.active ? 1 : 0;
        survey.ready += state.ready ? 1 : 0;
        survey.terminating += state.terminating ? 1 : 0;
        if (state.finalizer) survey.count.hold(pod->metadata.uid);
        if (state.active && state.index != kNoIndex) active_indexes.push_back(state.index);
    }
    survey.active_indexes = IndexSet::of(std::move(active_indexes));
    survey.count.settle();
    for (PodState& state : survey.pods)
        if (state.finalizer) state.named = survey.count.named(state.pod->metadata.uid).has_value();
}

bool was_named_failed(const Survey& survey, const PodState& state) {
    return state.named && survey.count.named(state.pod->metadata.uid) == Ending::kFailed;
}

std::int64_t known_to_status(const Survey& survey, Ending ending) {
    return std::int64_t{survey.count.counted(ending)} + survey.count.uncounted(ending);
}

void sum_up(Survey& survey) {
    const bool tracked = survey.tracking == Tracking::kFinalizers;
    for (const PodState& state : survey.pods) {
        if (!state.counts || (tracked && state.named)) continue;
        survey.succeeded += state.succeeded ? 1 : 0;
        survey.failed += state.failed && state.action != FailureAction::kIgnore ? 1 : 0;
    }
    if (tracked) {
        survey.succeeded += known_to_status(survey, Ending::kSucceeded);
        survey.failed += known_to_status(survey, Ending::kFailed);
    } else {
        // Lingering pods are the successes that there are; but a limit on failures does not rise again when pods go.
        survey.failed = std::max(survey.failed, known_to_status(survey, Ending::kFailed));
    }
}

// An index ends once: a success that comes after its failure was recorded changes nothing, and the other way round.
void look_at_indexes(const JobView& view, Survey& survey) {
    const auto& status = view.job.status;
    survey.completed_before = IndexSet::parse(status.completed_indexes, survey.completions);
    if (survey.per_index && status.failed_indexes) {
        survey.failed_before =
            IndexSet::parse(*status.failed_indexes, survey.completions).without(survey.completed_before);
    }
    std::vector<std::int32_t> done;
    std::vector<std::int32_t> failed;
    for (const PodState& state : survey.pods) {
        if (!state.counts) continue;
        if (state.succeeded && !was_named_failed(survey, state)) done.push_back(state.index);
        if (survey.per_index && is_index_failed(view.job.spec, state)) failed.push_back(state.index);
    }
    survey.completed = survey.completed_before;
    survey.completed.add(IndexSet::of(std::move(done)).without(survey.failed_before));
    survey.failed_indexes = survey.failed_before;
    survey.failed_indexes.add(IndexSet::of(std::move(failed)).without(survey.completed));
    survey.succeeded = survey.completed.size();
    if (survey.per_index) survey.waiting = find_waiting_indexes(survey);
}

BackoffRecord new_backoff(const JobView& view, const Survey& survey) {
    std::vector<Instant> successes;
    std::vector<Instant> failures;
    for (const PodState& state : survey.pods) {
        if (is_new_success(survey, state)) successes.push_back(finish_time_of(*state.pod));
        if (is_new_failure(survey, state)) failures.push_back(finish_time_of(*state.pod));
    }
    const bool tracked = survey.tracking == Tracking::kFinalizers;
    return update_backoff(tracked ? view.backoff : BackoffRecord{}, successes, failures, view.now);
}

}  // namespace

bool is_new_success(const Survey& survey, const PodState& state) {
    if (!state.counts || !state.succeeded) return false;
    if (survey.tracking != Tracking::kFinalizers) return true;
    return !state.named && !survey.completed_before.contains(state.index);
}

bool is_new_failure(const Survey& survey, const PodState& state) {
    return state.counts && state.failed && !(state.named && survey.tracking == Tracking::kFinalizers);
}

Survey make_survey(const JobView& view) {
    const auto& spec = view.job.spec;
    Survey survey{.tracking = tracking_of(view.job, view.gates), .count = tally::TrackedCount(view.job.status)};
    survey.indexed = api::batch::is_indexed(spec);
    survey.completions = survey.indexed ? spec.completions.value_or(0) : 0;
    survey.per_index = survey.indexed && spec.backoff_limit_per_index.has_value();
    look_at_pods(view, survey);
    sum_up(survey);
    if (survey.indexed) look_at_indexes(view, survey);
    survey.backoff = new_backoff(view, survey);
    survey.end = find_end_state(view, survey);
    return survey;
}

}  // namespace muster::controllers::jobs
