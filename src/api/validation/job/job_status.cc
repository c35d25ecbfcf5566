// Rules of a status update: counts that do not go back, ends that were announced, indexes that were asked for.
#include <set>

#include "api/kinds/job_state.h"
#include "api/schema/walk.h"
#include "api/validation/job/job.h"
#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"
#include "api/value/index_ranges.h"

namespace muster::api {
namespace {

using batch::Job;
using batch::JobStatus;

// A status beside the one before it, with what the rules ask of either.
class StatusChange {
public:
    StatusChange(const Job& job_now, const Job& job_before)
        : job(job_now), now(job_now.status), before(job_before.status) {}

    const Job& job;
    const JobStatus& now;
    const JobStatus& before;

    bool has(const char* type) const { return batch::has_condition(now, type); }
    bool had(const char* type) const { return batch::has_condition(before, type); }
    bool changed(const char* type) const { return has(type) != had(type); }
    bool finished() const { return batch::is_finished(now); }
    bool finished_changed() const { return finished() != batch::is_finished(before); }
    bool start_time_changed() const { return now.start_time != before.start_time; }
    bool completion_time_changed() const { return now.completion_time != before.completion_time; }
    bool completed_indexes_changed() const { return !(now.completed_indexes == before.completed_indexes); }
    bool failed_indexes_changed() const { return now.failed_indexes != before.failed_indexes; }
    bool uncounted_changed() const {
        return !is_equal(value_info<Box<batch::UncountedTerminatedPods>>(), &now.uncounted_terminated_pods,
                         &before.uncounted_terminated_pods);
    }
};

const FieldPath kStatus("status");

void add_about_conditions(FieldErrors& errors, std::string_view sentence) {
    errors.add_invalid(kStatus.child("conditions"), Shown::nothing(), sentence);
}

void check_uids(const List<Text>& uids, const FieldPath& path, std::set<std::string_view>& seen, FieldErrors& errors) {
    for (std::size_t i = 0; i < uids.size(); ++i) {
        if (uids[i].empty()) {
            errors.add_invalid(path.index(i), uids[i], "must not be empty");
        } else if (!seen.insert(uids[i].view()).second) {
            errors.add_duplicate(path.index(i), uids[i]);
        }
    }
}

void check_counters(const JobStatus& status, FieldErrors& errors) {
    check_non_negative(kStatus.child("active"), status.active, errors);
    check_non_negative(kStatus.child("succeeded"), status.succeeded, errors);
    check_non_negative(kStatus.child("failed"), status.failed, errors);
    if (status.ready) check_non_negative(kStatus.child("ready"), *status.ready, errors);
    if (status.terminating) check_non_negative(kStatus.child("terminating"), *status.terminating, errors);
    if (!status.uncounted_terminated_pods) return;
    // A pod ended one way or the other, never both.
    std::set<std::string_view> seen;
    const FieldPath path = kStatus.child("uncountedTerminatedPods");
    check_uids(status.uncounted_terminated_pods->succeeded, path.child("succeeded"), seen, errors);
    check_uids(status.uncounted_terminated_pods->failed, path.child("failed"), seen, errors);
}

void check_complete_is_not_failed(const StatusChange& change, FieldErrors& errors) {
    const bool complete = change.has(batch::kConditionComplete);
    const bool complete_changed = change.changed(batch::kConditionComplete);
    if (complete && change.has(batch::kConditionFailed) &&
        (complete_changed || change.changed(batch::kConditionFailed))) {
        add_about_conditions(errors, "cannot set Complete=True and Failed=true conditions");
    }
    if (complete && change.has(batch::kConditionFailureTarget) &&
        (complete_changed || change.changed(batch::kConditionFailureTarget))) {
        add_about_conditions(errors, "cannot set Complete=True and FailureTarget=true conditions");
    }
}

void check_completion_time(const StatusChange& change, FieldErrors& errors) {
    const FieldPath path = kStatus.child("completionTime");
    const auto& time = change.now.completion_time;
    const bool complete = change.has(batch::kConditionComplete);
    if (change.changed(batch::kConditionComplete) || change.completion_time_changed()) {
        if (time && !complete) {
            errors.add_invalid(path, shown_json(*time),
                               "cannot set completionTime when there is no Complete=True condition");
        }
        if (!time && complete) errors.add_required(path, "completionTime is required for Complete jobs");
    }
    if ((change.start_time_changed() || change.completion_time_changed()) && time && change.now.start_time &&
        *time < *change.now.start_time) {
        errors.add_invalid(path, shown_json(*time), "must be equal to or after `startTime`");
    }
}

// Before a Job has failed or is complete, it has said that it will be: its pods are removed in between.
void check_end_was_announced(const StatusChange& change, FieldErrors& errors) {
    if (change.has(batch::kConditionFailed) && !change.has(batch::kConditionFailureTarget) &&
        (change.changed(batch::kConditionFailed) || change.failed_indexes_changed())) {
        add_about_conditions(errors, "cannot set Failed=True condition without the FailureTarget=true condition");
    }
    if (change.has(batch::kConditionComplete) && !change.has(batch::kConditionSuccessCriteriaMet) &&
        (change.changed(batch::kConditionComplete) || change.changed(batch::kConditionSuccessCriteriaMet))) {
        add_about_conditions(errors,
                             "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    }
}

void check_finished(const StatusChange& change, FieldErrors& errors) {
    if (!change.finished()) return;
    const JobStatus& now = change.now;
    const bool just_now = change.finished_changed();
    if (now.active > 0 && (just_now || now.active != change.before.active))
        errors.add_invalid(kStatus.child("active"), now.active, "active>0 is invalid for finished job");
    // With nothing to complete, a suspended Job ends without ever having started.
    const bool may_end_unstarted = batch::is_suspended(change.job.spec) && change.job.spec.completions == 0;
    if (!now.start_time && (just_now || change.start_time_changed()) && !may_end_unstarted)
        errors.add_required(kStatus.child("startTime"), "startTime is required for finished job");
    const auto& uncounted = now.uncounted_terminated_pods;
    if (uncounted && uncounted->succeeded.size() + uncounted->failed.size() > 0 &&
        (just_now || change.uncounted_changed())) {
        errors.add_invalid(kStatus.child("uncountedTerminatedPods"), shown_json(*uncounted),
                           "must be empty for finished job");
    }
}

void check_indexes_format(const char* name, const Text& indexes, std::int32_t completions, FieldErrors& errors) {
    const auto parsed = IndexRanges::parse(indexes, completions);
    if (parsed.ok()) return;
    errors.add_invalid(kStatus.child(name), indexes,
                       "error parsing " + std::string(name) + ": " + parsed.error().message);
}

void check_indexes(const StatusChange& change, FieldErrors& errors) {
    const JobStatus& now = change.now;
    const batch::JobSpec& spec = change.job.spec;
    const bool completed_changed = change.completed_indexes_changed();
    const bool failed_changed = change.failed_indexes_changed();
    if (completed_changed && spec.completions)
        check_indexes_format("completedIndexes", now.completed_indexes, *spec.completions, errors);
    if (failed_changed && spec.completions && spec.backoff_limit_per_index && now.failed_indexes)
        check_indexes_format("failedIndexes", *now.failed_indexes, *spec.completions, errors);
    if (completed_changed && !now.completed_indexes.empty() && !batch::is_indexed(spec)) {
        errors.add_invalid(kStatus.child("completedIndexes"), now.completed_indexes,
                           "cannot set non-empty completedIndexes when non-indexed completion mode");
    }
    if (!now.failed_indexes) return;
    if (failed_changed && !spec.backoff_limit_per_index) {
        errors.add_invalid(kStatus.child("failedIndexes"), *now.failed_indexes,
                           "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    }
    if (!spec.completions || !(completed_changed || failed_changed)) return;
    const auto common = IndexRanges::parse_stored(now.completed_indexes, *spec.completions)
                            .first_common(IndexRanges::parse_stored(*now.failed_indexes, *spec.completions));
    if (common) {
        errors.add_invalid(kStatus.child("failedIndexes"), *now.failed_indexes,
                           "failedIndexes and completedIndexes overlap at index: " + std::to_string(*common));
    }
}

void check_live_pods(const StatusChange& change, FieldErrors& errors) {
    const JobStatus& now = change.now;
    if (change.finished() && now.terminating.value_or(0) > 0 &&
        (change.finished_changed() || now.terminating != change.before.terminating)) {
        errors.add_invalid(kStatus.child("terminating"), *now.terminating, "terminating>0 is invalid for finished job");
    }
    if (now.ready && *now.ready > now.active &&
        (now.ready != change.before.ready || now.active != change.before.active)) {
        errors.add_invalid(kStatus.child("ready"), *now.ready, "cannot set more ready pods than active");
    }
}

void check_success_criteria(const StatusChange& change, FieldErrors& errors) {
    if (change.has(batch::kConditionSuccessCriteriaMet)) {
        if (change.has(batch::kConditionFailed))
            add_about_conditions(errors, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
        if (change.has(batch::kConditionFailureTarget))
            add_about_conditions(errors, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    } else if (change.job.spec.success_policy && change.has(batch::kConditionComplete)) {
        add_about_conditions(errors,
                             "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
    }
}

void check_nothing_goes_back(const StatusChange& change, FieldErrors& errors) {
    const JobStatus& now = change.now;
    const JobStatus& before = change.before;
    for (const char* type : {batch::kConditionFailed, batch::kConditionComplete, batch::kConditionFailureTarget}) {
        if (change.had(type) && !change.has(type))
            add_about_conditions(errors, "cannot disable the terminal " + std::string(type) + "=True condition");
    }
    if (now.failed < before.failed)
        errors.add_invalid(kStatus.child("failed"), now.failed, "cannot decrease the failed counter");
    // An indexed Job that has as many completions as pods at once can be scaled down, and then counts fewer.
    const batch::JobSpec& spec = change.job.spec;
    const bool elastic = batch::is_indexed(spec) && spec.completions == spec.parallelism;
    if (now.succeeded < before.succeeded && !elastic)
        errors.add_invalid(kStatus.child("succeeded"), now.succeeded, "cannot decrease the succeeded counter");
    if (now.completion_time && before.completion_time && change.completion_time_changed())
        errors.add_invalid(kStatus.child("completionTime"), shown_json(*now.completion_time), kImmutableSentence);
    const bool resuming =
        change.had(batch::kConditionSuspended) && batch::has_condition(now, batch::kConditionSuspended, "False");
    if (before.start_time && change.start_time_changed() && !batch::is_suspended(spec) && !resuming) {
        errors.add_invalid(kStatus.child("startTime"), shown_json(now.start_time),
                           "field is immutable for unsuspended job once set");
    }
    const bool criteria_met = change.has(batch::kConditionSuccessCriteriaMet);
    const bool criteria_were_met = change.had(batch::kConditionSuccessCriteriaMet);
    if (criteria_were_met && !criteria_met)
        add_about_conditions(errors, "cannot disable the SuccessCriteriaMet=True condition");
    if (change.had(batch::kConditionComplete) && !criteria_were_met && criteria_met) {
        add_about_conditions(errors, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
    }
}

}  // namespace

FieldErrors validate_job_status_update(const Job& job, const Job& old) {
    FieldErrors errors;
    const StatusChange change(job, old);
    check_counters(change.now, errors);
    check_complete_is_not_failed(change, errors);
    check_completion_time(change, errors);
    check_end_was_announced(change, errors);
    check_finished(change, errors);
    check_indexes(change, errors);
    check_live_pods(change, errors);
    check_success_criteria(change, errors);
    check_nothing_goes_back(change, errors);
    return errors;
}

}  // namespace muster::api
