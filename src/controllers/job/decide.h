// The Job controller's decisions, in the two stages between which the world is asked to change:
//
//     1. decide_pods     what to do to pods now; the shell removes and creates, and reports the outcome
//     2. decide_status   the status to store, and only then whose finalizer goes
//
// The shell carries out a plan's fields top to bottom and stops at the first failure. Total and pure: the same view
// gives the same plan. A pod loses its finalizer only after a status that accounts for it is stored (by UID in
// uncountedTerminatedPods, or by its index in completedIndexes); the numbers rise in a later status, in whose view the
// finalizer is gone. Ending twice, being deleted, a lost answer or a crash in between count no pod twice.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "controllers/job/pods/pod_draft.h"
#include "controllers/job/pods/view.h"

namespace muster::controllers::jobs {

struct Survey;

struct Removal {
    PodRef pod;
    // Its finalizer goes first, so that this removal is no failure: scaling down, suspending, a duplicate. Otherwise
    // the Job has ended, which its status says already, and decide_status accounts for the pod.
    bool release_first = false;
    bool operator==(const Removal&) const = default;
};

// Why pods are made: the label of job_pods_creation_total.
enum class CreationReason { kNew, kRecreateTerminatingOrFailed, kRecreateFailed };

struct PodsPlan {
    LeftAlone left_alone = LeftAlone::kNo;
    std::vector<Note> notes{};  // to tell at once
    bool mark_lingering =
        false;  // annotate the Job with kLingeringAnnotation, then sync again; nothing else is planned
    std::vector<Removal> remove{};   // either these …
    std::vector<PodDraft> create{};  // … or these, lowest index first; PodMold makes pods of them
    CreationReason creation_reason = CreationReason::kNew;
    std::optional<Instant> wake_at{};  // look again then, even if nothing changes; now when a limit cut the plan
    // What was seen of the pods, so that decide_status need not look again.
    std::shared_ptr<const Survey> survey{};

    bool empty() const { return notes.empty() && !mark_lingering && remove.empty() && create.empty(); }
};

PodsPlan decide_pods(const JobView& view);

// Only what is seen of the pods: for a status without a change of pods. Null survey where decide_pods makes none.
PodsPlan survey_pods(const JobView& view);

// What came of a PodsPlan.
struct PodsOutcome {
    // For each of PodsPlan::remove: it is gone or on its way. One that could not be removed stays false.
    std::vector<bool> removed{};
    std::size_t created = 0;
    bool interrupted = false;  // the rest is to be created in the next sync

    static PodsOutcome all_done(const PodsPlan& plan) {
        return {std::vector<bool>(plan.remove.size(), true), plan.create.size(), false};
    }
};

// To be counted in metrics once the status is stored.
struct StatusFacts {
    // job_pods_finished_total
    std::int32_t pods_succeeded = 0;
    std::int32_t pods_failed = 0;
    // job_finished_indexes_total, with the label perIndex or global of backoffLimit
    std::int32_t indexes_succeeded = 0;
    std::int32_t indexes_failed = 0;
    bool backoff_per_index = false;
    // pod_failures_handled_by_failure_policy_total, in the order of FailureAction
    std::array<std::int32_t, 4> failure_actions{};
    // jobs_finished_total
    bool finished = false;
    bool complete = false;
    std::string finish_reason{};
    bool operator==(const StatusFacts&) const = default;
};

struct StatusPlan {
    std::optional<api::batch::JobStatus> status{};  // when it differs: stored first …
    BackoffRecord backoff{};                        // … then this is kept for the next view …
    std::vector<PodRef> release{};                  // … then the finalizers of these pods go
    std::vector<Note> notes{};                      // of the stored status
    StatusFacts facts{};
    std::optional<Instant> wake_at{};  // now, when more finalizers are to go than one sync may release

    bool empty() const { return !status && release.empty() && notes.empty(); }
};

// `plan` is what decide_pods made of the same view. A pod whose removal failed is neither counted nor released here,
// and the Job does not finish: the next sync tries again.
StatusPlan decide_status(const JobView& view, const PodsPlan& plan, const PodsOutcome& outcome);

}  // namespace muster::controllers::jobs
