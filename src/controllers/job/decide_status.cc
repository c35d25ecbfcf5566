// The second stage: what the status says, and whose finalizer goes once that is stored.
#include <algorithm>

#include "api/kinds/conditions.h"
#include "api/kinds/job_state.h"
#include "base/saturate.h"
#include "controllers/job/accounting.h"
#include "controllers/job/backoff.h"
#include "controllers/job/decide.h"
#include "controllers/job/survey.h"
#include "tally/status_numbers.h"

namespace muster::controllers::jobs {

using api::batch::JobStatus;
using tally::Ending;

namespace {

class StatusWriter {
public:
    StatusWriter(const JobView& view, const PodsPlan& plan, const PodsOutcome& outcome)
        : view_(view),
          survey_(*plan.survey),
          fates_(fates_of(view, plan, outcome)),
          created_(static_cast<std::int32_t>(outcome.created)),
          now_(api::Time::from_instant(view.now)),
          status_(view.job.status),
          live_(live_after()),
          end_(survey_.end ? survey_.end : completions_reached(view, survey_, live_.active)),
          accounts_(account_for(view, survey_, fates_, end_)) {}

    StatusPlan run() {
        if (!status_.start_time && !api::batch::is_suspended(view_.job.spec)) status_.start_time = now_;
        tally::write_live(live_, status_);
        write_counts();
        if (end_) {
            write_end();
        } else if (!view_.job.metadata.deletion_timestamp) {
            write_suspension();
        }
        plan_.release = accounts_.release;
        if (accounts_.more) plan_.wake_at = view_.now;
        plan_.backoff = survey_.tracking == Tracking::kFinalizers
                            ? update_backoff(view_.backoff, accounts_.successes, accounts_.failures, view_.now)
                            : survey_.backoff;
        tell_facts();
        if (!(status_ == view_.job.status)) plan_.status = std::move(status_);
        return std::move(plan_);
    }

private:
    tally::LivePods live_after() const {
        tally::LivePods live{survey_.active, survey_.ready, survey_.terminating};
        for (std::size_t i = 0; i < fates_.size(); ++i) {
            if (fates_[i] != PodFate::kRemoved && fates_[i] != PodFate::kDismissed) continue;
            --live.active;
            live.ready -= survey_.pods[i].ready ? 1 : 0;
            ++live.terminating;
        }
        live.active += created_;
        return live;
    }

    void write_counts() {
        if (survey_.tracking == Tracking::kFinalizers) {
            accounts_.count.write_to(status_);
        } else {
            write_lingering_counts();
        }
        if (!survey_.indexed) return;
        // An indexed Job's successes are its indexes, however they were written before.
        status_.succeeded = view_.job.status.succeeded;
        tally::write_indexes(view_.job.spec, survey_.completed, survey_.per_index ? &survey_.failed_indexes : nullptr,
                             status_);
    }
    void write_lingering_counts() {
        std::int64_t failed = survey_.failed;
        if (end_ && !end_->success) failed += std::count(fates_.begin(), fates_.end(), PodFate::kRemoved);
        const std::int64_t succeeded =
            std::max(survey_.succeeded, std::int64_t{survey_.count.counted(Ending::kSucceeded)} +
                                            survey_.count.uncounted(Ending::kSucceeded));
        tally::write_lingering(saturate_cast<std::int32_t>(succeeded), saturate_cast<std::int32_t>(failed), status_);
    }

    bool set_condition(const char* type, bool holds, std::string_view reason, std::string_view message, api::Time at) {
        return api::set_condition(status_.conditions, {type, api::condition_status(holds), reason, message}, at,
                                  api::ConditionRule::kOfJobs);
    }

    // Announced as soon as it is known, which also keeps the reason; final when nothing is left to wait for.
    void write_end() {
        set_condition(end_->success ? api::batch::kConditionSuccessCriteriaMet : api::batch::kConditionFailureTarget,
                      true, end_->reason, end_->message, now_);
        if (!is_over()) return;
        const bool may_end_unstarted =
            api::batch::is_suspended(view_.job.spec) && view_.job.spec.completions == 0 && end_->success;
        if (!status_.start_time && !may_end_unstarted) status_.start_time = now_;
        const api::Time at = std::max(now_, status_.start_time.value_or(now_));  // clocks may differ
        set_condition(end_->success ? api::batch::kConditionComplete : api::batch::kConditionFailed, true, end_->reason,
                      end_->message, at);
        if (end_->success) status_.completion_time = at;
        tell_end();
    }
    bool is_over() const {
        const auto& uncounted = status_.uncounted_terminated_pods;
        if (uncounted && uncounted->succeeded.size() + uncounted->failed.size() > 0) return false;
        if (live_.active > 0 || live_.terminating > 0) return false;
        for (std::size_t i = 0; i < survey_.pods.size(); ++i)
            if (survey_.pods[i].finalizer && fates_[i] != PodFate::kDismissed) return false;
        return true;
    }
    void tell_end() {
        plan_.facts.finished = true;
        plan_.facts.complete = end_->success;
        plan_.facts.finish_reason = end_->reason;
        if (!end_->success) {
            plan_.notes.push_back(Note::warning(end_->reason, end_->message));
            return;
        }
        const auto& completions = view_.job.spec.completions;
        if (completions && status_.succeeded > *completions) {
            plan_.notes.push_back(Note::warning("TooManySucceededPods",
                                                "Too many succeeded pods running after completion count reached"));
        }
        plan_.notes.push_back(Note::normal("Completed", "Job completed"));
    }

    void write_suspension() {
        const bool suspended = api::batch::is_suspended(view_.job.spec);
        // Not only with the condition: another controller may have suspended the Job and left its start time.
        if (suspended) status_.start_time.reset();
        const char* message = suspended ? "Job suspended" : "Job resumed";
        if (!set_condition(api::batch::kConditionSuspended, suspended, suspended ? "JobSuspended" : "JobResumed",
                           message, now_))
            return;
        plan_.notes.push_back(Note::normal(suspended ? "Suspended" : "Resumed", message));
        // The active deadline counts only while the Job runs, so resuming resets the start time.
        if (!suspended) status_.start_time = now_;
    }

    void tell_facts() {
        StatusFacts& facts = plan_.facts;
        facts.failure_actions = accounts_.failure_actions;
        facts.backoff_per_index = survey_.per_index;
        facts.pods_failed = std::max(status_.failed - std::max(view_.job.status.failed, 0), 0);
        if (survey_.indexed) {
            facts.indexes_succeeded =
                static_cast<std::int32_t>(survey_.completed.size() - survey_.completed_before.size());
            facts.indexes_failed =
                static_cast<std::int32_t>(survey_.failed_indexes.size() - survey_.failed_before.size());
            facts.pods_succeeded = facts.indexes_succeeded;
        } else {
            facts.pods_succeeded = std::max(status_.succeeded - std::max(view_.job.status.succeeded, 0), 0);
        }
    }

    const JobView& view_;
    const Survey& survey_;
    const std::vector<PodFate> fates_;
    const std::int32_t created_;
    const api::Time now_;
    JobStatus status_;
    const tally::LivePods live_;
    const std::optional<EndState> end_;
    const Accounts accounts_;
    StatusPlan plan_;
};

// Removes the finalizer from pods of a finished Job, in case an earlier sync missed one; and from pods of a Job that is
// being deleted and that this controller does not handle: otherwise the Job would wait for its pods, and the pods for
// their finalizer, for ever.
bool lets_go_of_pods(const JobView& view, LeftAlone why) {
    if (why == LeftAlone::kFinished) return true;
    return view.job.metadata.deletion_timestamp &&
           (why == LeftAlone::kUnknownMode || why == LeftAlone::kIndexedDisabled);
}

StatusPlan release_uncounted(const JobView& view) {
    StatusPlan plan{.backoff = view.backoff};
    for (const PodRef& pod : view.pods) {
        if (!has_tracking_finalizer(*pod)) continue;
        if (plan.release.size() >= view.limits.uncounted_max) {
            plan.wake_at = view.now;
            break;
        }
        plan.release.push_back(pod);
    }
    return plan;
}

}  // namespace

StatusPlan decide_status(const JobView& view, const PodsPlan& plan, const PodsOutcome& outcome) {
    if (lets_go_of_pods(view, plan.left_alone)) return release_uncounted(view);
    if (!plan.survey) return {.backoff = view.backoff};
    return StatusWriter(view, plan, outcome).run();
}

}  // namespace muster::controllers::jobs
