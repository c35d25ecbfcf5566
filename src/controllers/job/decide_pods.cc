// The first stage: which pods go, which come.
#include <algorithm>

#include "api/kinds/job_state.h"
#include "controllers/job/backoff.h"
#include "controllers/job/decide.h"
#include "controllers/job/per_index.h"
#include "controllers/job/survey.h"
#include "controllers/job/victims.h"

namespace muster::controllers::jobs {

using tally::IndexSet;

namespace {

void wake_by(PodsPlan& plan, std::optional<Instant> when) {
    if (when && (!plan.wake_at || *when < *plan.wake_at)) plan.wake_at = when;
}

// A pod per remaining completion, up to parallelism. Without completions, pods are made until one has succeeded; the
// others may end by themselves.
std::int64_t wanted_active(const JobView& view, const Survey& survey) {
    const auto& spec = view.job.spec;
    if (!spec.completions) return survey.succeeded > 0 ? survey.active : parallelism_of(spec);
    return std::clamp<std::int64_t>(*spec.completions - survey.succeeded, 0, std::max(parallelism_of(spec), 0));
}

void remove_place(const JobView& view, std::size_t place, bool release_first, PodsPlan& plan) {
    plan.remove.push_back({view.pods[place], release_first && plan.survey->pods[place].finalizer});
}

// The Job has ended: its active pods are deleted. decide_status accounts for them.
void remove_for_end(const JobView& view, PodsPlan& plan) {
    for (std::size_t i = 0; i < view.pods.size(); ++i)
        if (plan.survey->pods[i].active) remove_place(view, i, false, plan);
}

void remove_for_suspension(const JobView& view, PodsPlan& plan) {
    for (std::size_t i = 0; i < view.pods.size(); ++i)
        if (plan.survey->pods[i].active) remove_place(view, i, true, plan);
}

// An index that waits after a failure does not keep the others from being started.
void create_indexes(const JobView& view, std::size_t count, PodsPlan& plan) {
    const Survey& survey = *plan.survey;
    IndexSet taken = survey.completed;
    taken.add(survey.failed_indexes);
    taken.add(survey.active_indexes);
    std::vector<std::int32_t> not_now;
    std::optional<Instant> first_ready;
    if (replaces_only_failed(view.job.spec)) {
        for (const PodState& state : survey.pods)
            if (state.terminating && state.index != kNoIndex) not_now.push_back(state.index);
    }
    for (const auto& [index, place] : survey.waiting) {
        const auto end = index_backoff_end(survey.pods[place], view.limits, view.now);
        if (!end) continue;
        not_now.push_back(index);
        if (!first_ready || *end < *first_ready) first_ready = end;
    }
    taken.add(std::move(not_now));
    for (const std::int32_t index : taken.first_missing(survey.completions, count)) {
        const auto waiting = survey.waiting.find(index);
        plan.create.push_back(waiting == survey.waiting.end() ? PodDraft{index}
                                                              : draft_after(survey.pods[waiting->second]));
    }
    if (plan.create.size() < count) wake_by(plan, first_ready);
}

CreationReason creation_reason_of(const JobView& view, const Survey& survey) {
    if (survey.failed > 0 && view.job.spec.pod_replacement_policy == Text("Failed"))
        return CreationReason::kRecreateFailed;
    if (survey.failed > 0 || survey.terminating > 0) return CreationReason::kRecreateTerminatingOrFailed;
    return CreationReason::kNew;
}

void create_missing(const JobView& view, std::int64_t wanted, PodsPlan& plan) {
    const Survey& survey = *plan.survey;
    const std::int64_t waited_for = replaces_only_failed(view.job.spec) ? survey.terminating : 0;
    const std::int64_t missing = wanted - survey.active - waited_for;
    if (missing <= 0) return;
    if (!survey.per_index) {
        if (const auto end = backoff_end(survey.backoff, view.limits, view.now)) return wake_by(plan, end);
    }
    const auto count = std::min(static_cast<std::size_t>(missing), view.limits.create_delete_max);
    plan.creation_reason = creation_reason_of(view, survey);
    if (survey.indexed)
        create_indexes(view, count, plan);
    else
        plan.create.resize(count);
    // The limit cut the plan, if it was that and not indexes that have to wait.
    if (plan.create.size() == count && count < static_cast<std::size_t>(missing)) wake_by(plan, view.now);
}

void keep_right_number(const JobView& view, PodsPlan& plan) {
    if (api::batch::is_suspended(view.job.spec)) return remove_for_suspension(view, plan);
    const std::int64_t wanted = wanted_active(view, *plan.survey);
    const auto excess = static_cast<std::size_t>(std::max<std::int64_t>(plan.survey->active - wanted, 0));
    std::vector<std::size_t> victims = find_victims(*plan.survey, excess);
    if (victims.size() > view.limits.create_delete_max) {
        victims.resize(view.limits.create_delete_max);
        wake_by(plan, view.now);
    }
    for (const std::size_t place : victims) remove_place(view, place, true, plan);
    if (plan.remove.empty()) create_missing(view, wanted, plan);
}

PodsPlan leave_alone(LeftAlone why) {
    PodsPlan plan{.left_alone = why};
    if (why == LeftAlone::kUnknownMode) {
        plan.notes.push_back(
            Note::warning("UnknownCompletionMode", "Skipped Job sync because completion mode is unknown"));
    } else if (why == LeftAlone::kGang) {
        plan.notes.push_back(Note::warning(
            "SchedulingNotSupported",
            "Skipped Job because spec.scheduling is set: its pods are to be placed together, which this controller "
            "does not do"));
    } else if (why == LeftAlone::kIndexedDisabled) {
        plan.notes.push_back(
            Note::warning("IndexedJobDisabled", "Skipped Indexed Job sync because feature is disabled."));
    }
    return plan;
}

}  // namespace

PodsPlan survey_pods(const JobView& view) {
    if (const LeftAlone why = why_left_alone(view.job, view.gates); why != LeftAlone::kNo) return leave_alone(why);
    PodsPlan plan;
    plan.mark_lingering = tracking_of(view.job, view.gates) == Tracking::kLeaving;
    if (!plan.mark_lingering) plan.survey = std::make_shared<const Survey>(make_survey(view));
    return plan;
}

PodsPlan decide_pods(const JobView& view) {
    PodsPlan plan = survey_pods(view);
    if (!plan.survey) return plan;
    if (plan.survey->end) {
        // The status records the end before pods are deleted. After a crash, deleted pods would look like failures and
        // the controller could derive another end.
        if (plan.survey->end->recorded) remove_for_end(view, plan);
        return plan;
    }
    wake_by(plan, deadline_of(view));
    if (!view.job.metadata.deletion_timestamp) keep_right_number(view, plan);
    return plan;
}

}  // namespace muster::controllers::jobs
