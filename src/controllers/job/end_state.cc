#include "controllers/job/end_state.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "controllers/job/success_policy.h"
#include "controllers/job/survey.h"

namespace muster::controllers::jobs {

using api::batch::JobCondition;

namespace {

EndState failure(const char* reason, std::string message) { return {false, reason, std::move(message)}; }

std::optional<EndState> find_recorded(const api::batch::JobStatus& status) {
    for (const bool success : {true, false}) {
        const char* type = success ? api::batch::kConditionSuccessCriteriaMet : api::batch::kConditionFailureTarget;
        for (const JobCondition& condition : status.conditions)
            if (condition.type == type && condition.status == "True")
                return EndState{success, condition.reason.str(), condition.message.str(), true};
    }
    return std::nullopt;
}

std::optional<EndState> find_fail_job(const JobView& view, const Survey& survey) {
    for (const PodState& state : survey.pods) {
        if (!state.failed || state.action != FailureAction::kFailJob) continue;
        const auto verdict = match_failure_policy(view.job.spec.pod_failure_policy.get(), *state.pod);
        return failure("PodFailurePolicy", fail_job_message(verdict, *state.pod));
    }
    return std::nullopt;
}

// restartPolicy OnFailure restarts containers in place: no pod fails, but restarts count as failures.
bool is_past_restarts(const JobView& view) {
    if (view.job.spec.template_.spec.restart_policy != "OnFailure") return false;
    std::int64_t restarts = 0;
    for (const PodRef& pod : view.pods) {
        if (pod->status.phase != "Running" && pod->status.phase != "Pending") continue;
        for (const auto& status : pod->status.init_container_statuses) restarts += status.restart_count;
        for (const auto& status : pod->status.container_statuses) restarts += status.restart_count;
    }
    const std::int32_t limit = backoff_limit_of(view.job.spec);
    return limit == 0 ? restarts > 0 : restarts >= limit;
}

std::optional<EndState> find_failed_indexes(const JobView& view, const Survey& survey) {
    const auto& spec = view.job.spec;
    if (!survey.per_index) return std::nullopt;
    const std::int64_t failed = survey.failed_indexes.size();
    if (spec.max_failed_indexes && failed > *spec.max_failed_indexes) {
        return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
    }
    if (failed > 0 && failed + survey.completed.size() >= survey.completions)
        return failure("FailedIndexes", "Job has failed indexes");
    return std::nullopt;
}

}  // namespace

std::optional<Instant> deadline_of(const JobView& view) {
    const auto& spec = view.job.spec;
    if (!spec.active_deadline_seconds || api::batch::is_suspended(spec)) return std::nullopt;
    // A Job that is being resumed starts its deadline now, even if a controller has not removed the old start time.
    const bool resuming = api::batch::has_condition(view.job.status, api::batch::kConditionSuspended);
    const auto now = api::Time::from_instant(view.now);
    const auto start = resuming ? now : view.job.status.start_time.value_or(now);
    return start.instant() + std::chrono::seconds(std::max<std::int64_t>(*spec.active_deadline_seconds, 0));
}

std::optional<EndState> find_end_state(const JobView& view, const Survey& survey) {
    if (auto recorded = find_recorded(view.job.status)) return recorded;
    if (auto fail_job = find_fail_job(view, survey)) return fail_job;
    if (survey.failed > backoff_limit_of(view.job.spec) || is_past_restarts(view))
        return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
    if (const auto deadline = deadline_of(view); deadline && *deadline <= view.now)
        return failure("DeadlineExceeded", "Job was active longer than specified deadline");
    if (auto indexes = find_failed_indexes(view, survey)) return indexes;
    if (!survey.indexed) return std::nullopt;
    if (auto message = match_success_policy(view.job.spec.success_policy.get(), survey.completions, survey.completed))
        return EndState{true, "SuccessPolicy", *message};
    return std::nullopt;
}

std::optional<EndState> completions_reached(const JobView& view, const Survey& survey, std::int32_t active) {
    const auto& completions = view.job.spec.completions;
    const bool enough = completions ? survey.succeeded >= *completions : survey.succeeded > 0;
    if (!enough || active > 0) return std::nullopt;
    return EndState{true, "CompletionsReached", "Reached expected number of succeeded pods"};
}

}  // namespace muster::controllers::jobs
