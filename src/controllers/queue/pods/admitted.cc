#include "controllers/queue/pods/admitted.h"

#include <iterator>
#include <unordered_set>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/pods/steps/mend.h"
#include "controllers/queue/pods/steps/reclaim.h"
#include "controllers/queue/pods/steps/reject.h"
#include "controllers/queue/pods/steps/release.h"
#include "controllers/queue/pods/steps/replace.h"
#include "controllers/queue/pods/steps/report.h"
#include "controllers/queue/pods/steps/start.h"
#include "controllers/queue/pods/steps/stop.h"
#include "controllers/queue/pods/steps/verdict.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// The plan so far, and the status that it will store.
class PlanDraft {
public:
    explicit PlanDraft(Standing& standing) : standing_(standing), status_(standing.workload.status) {}

    GroupPlan& plan() { return plan_; }
    api::kueue::WorkloadStatus& status() { return status_; }

    // Each pod once.
    void release(const std::vector<PodRef>& pods) {
        for (const PodRef& pod : pods)
            if (released_.insert(pod.get()).second) plan_.release.push_back(pod);
    }
    // Later steps do not count on these pods.
    void reject(std::vector<PodRemoval> removals) {
        for (const PodRemoval& removal : removals) {
            standing_.rejected.insert(removal.pod.get());
            if (is_held(*removal.pod)) release({removal.pod});
        }
        append(plan_.remove, std::move(removals));
    }
    void finish(const Ending& ending) {
        const api::meta::ObjectMeta& workload = standing_.workload.metadata;
        set_condition(status_, api::kueue::kWorkloadFinished, true, ending.reason, ending.message, workload.generation,
                      standing_.view.now);
        plan_.notes.push_back(
            {{},
             false,
             "FinishedWorkload",
             "Workload '" + workload.namespace_.str() + "/" + workload.name.str() + "' is declared finished"});
        for (const Member& member : standing_.members)
            if (member.held) release({member.pod});
    }
    void wake_at(const std::optional<Instant>& at) {
        if (at) wake_by(plan_, *at);
    }
    GroupPlan close() {
        if (!(status_ == standing_.workload.status)) plan_.status = std::move(status_);
        return std::move(plan_);
    }

private:
    Standing& standing_;
    api::kueue::WorkloadStatus status_;
    std::unordered_set<const api::core::Pod*> released_;  // in plan_.release
    GroupPlan plan_;
};

void plan_stop(const Standing& standing, PlanDraft& draft) {
    Stopping stopping = decide_stop(standing);
    append(draft.plan().remove, std::move(stopping.remove));
    draft.wake_at(stopping.wake_at);
    if (stopping.gives_back_quota)
        give_back_quota(draft.status(), standing.workload.metadata.generation, standing.view.now);
    if (stopping.ending) draft.finish(*stopping.ending);
}

void plan_start(const Standing& standing, PlanDraft& draft) {
    Starting starting = decide_start(standing);
    append(draft.plan().notes, std::move(starting.notes));
    draft.wake_at(starting.wake_at);
    draft.reject(std::move(starting.remove));
    draft.plan().start = std::move(starting.start);
    if (starting.ending) draft.finish(*starting.ending);
}

// Gives what the group waits for though all its pods are there.
std::string plan_going_on(Standing& standing, bool recounted, PlanDraft& draft) {
    Rejection rejection = decide_rejection(standing);
    standing.roles = std::move(rejection.roles);
    draft.reject(std::move(rejection.remove));

    Replacement replacement = decide_replacement(standing);
    draft.plan().add_owners = std::move(replacement.add_owners);
    draft.release(replacement.release);

    Mending mending = decide_mending(standing);
    append(draft.plan().notes, std::move(mending.notes));
    draft.wake_at(mending.wake_at);
    draft.reject(std::move(mending.remove));
    // First the status, which fits both: with a set in it that is no more every later one would be invalid.
    if (!recounted) draft.plan().spec = std::move(mending.spec);
    draft.plan().gates = decide_gates(standing);
    if (mending.ending)
        draft.finish(*mending.ending);
    else
        plan_start(standing, draft);
    return std::move(mending.missing);
}

}  // namespace

GroupPlan decide_with_workload(const GroupView& view, std::vector<Member> members) {
    Standing standing = survey_group(view, std::move(members));
    const Verdict verdict = decide_verdict(standing);
    if (verdict.course == Course::kLeave) return {};
    PlanDraft draft(standing);
    const auto reclaimed = decide_reclaim(standing);
    if (reclaimed) draft.status().reclaimable_pods = *reclaimed;
    if (verdict.course == Course::kFinish) {
        draft.finish(verdict.ending);
        return draft.close();
    }
    std::string missing;
    if (verdict.course == Course::kStop) plan_stop(standing, draft);
    const bool recounted = reclaimed && !has_reservation(standing.workload.status);
    if (verdict.course == Course::kGoOn) missing = plan_going_on(standing, recounted, draft);
    Release release = decide_release(standing);
    draft.release(release.pods);
    draft.plan().remove_owners = std::move(release.remove_owners);
    draft.wake_at(release.wake_at);
    report_group(standing, missing, draft.status());
    return draft.close();
}

}  // namespace muster::controllers::podqueue
