#include "controllers/queue/admission/workloads/drafts.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "base/check.h"
#include "controllers/queue/admission/engine/translate.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;
using kueue::Workload;

Word word_of(PreemptReason reason) {
    switch (reason) {
        case PreemptReason::kInClusterQueue: return Word::kInClusterQueue;
        case PreemptReason::kInCohortReclamation: return Word::kInCohortReclamation;
        case PreemptReason::kInCohortFairSharing: return Word::kInCohortFairSharing;
        case PreemptReason::kInCohortReclaimWhileBorrowing: break;
    }
    return Word::kInCohortReclaimWhileBorrowing;
}

std::string describe_preemption(const Workload& preemptor, const PreemptionFacts& facts) {
    const Text* job = preemptor.metadata.labels.find(kueue::kJobUidLabel);
    return say(Word::kPreempted, {preemptor.metadata.uid.view(), job ? job->view() : std::string_view("UNKNOWN"),
                                  say(word_of(facts.reason)), facts.preemptor_path, facts.victim_path});
}

WorkloadDraft draft_of(const Workload& workload, Told::What what) {
    WorkloadDraft draft;
    draft.workload = std::make_shared<Workload>(workload);
    draft.told.what = what;
    return draft;
}

}  // namespace

WorkloadDraft draft_admission(const Workload& workload, const Text& queue_name, const kueue::ClusterQueue* queue,
                              const std::vector<PodSetChoice>& pod_sets, const Names& names, Instant now) {
    WorkloadDraft draft = draft_of(workload, Told::What::kAdmission);
    kueue::WorkloadStatus& status = draft.workload->status;
    const std::int64_t generation = workload.metadata.generation;
    kueue::Admission admission = make_admission(workload, queue_name, pod_sets, names);
    if (queue) list_checks(status, checks_for(*queue, admission), now);
    status.admission = std::move(admission);
    mark_reserved(status, queue_name, generation, now);
    if (checks_passed(status)) {
        mark_admitted(status, generation, now);
        draft.told.reason = controllers::reason_of(Word::kAdmittedEvent);
        draft.told.message = say(Word::kAdmittedEvent, {queue_name.view(), "0"});
    } else {
        const Duration waited = std::max(Duration(0), now - queue_time(workload, true));
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
        draft.told.reason = controllers::reason_of(Word::kQuotaReservedEvent);
        draft.told.message = say(Word::kQuotaReservedEvent, {queue_name.view(), std::to_string(seconds)});
    }
    return draft;
}

WorkloadDraft draft_preemption(const Workload& victim, const Workload& preemptor, const PreemptionFacts& facts,
                               Instant now) {
    WorkloadDraft draft = draft_of(victim, Told::What::kPreemption);
    draft.told.reason = kueue::kWorkloadPreempted;
    draft.told.message = describe_preemption(preemptor, facts);
    draft.told.preemptor_queue = facts.preemptor_queue;
    draft.told.preempt_reason = format_reason(facts.reason);
    draft.told.evicted_for = kueue::kEvictedPreempted;
    const std::int64_t generation = victim.metadata.generation;
    mark_evicted(draft.workload->status, kueue::kEvictedPreempted, draft.told.message, generation, now);
    set_condition(draft.workload->status, kueue::kWorkloadPreempted, true, format_reason(facts.reason),
                  draft.told.message, generation, now);
    return draft;
}

WorkloadDraft draft_lifecycle(const Workload& workload, LifecyclePlan plan) {
    CHECK(plan.status || plan.deactivate, "a plan that stores nothing");
    WorkloadDraft draft = draft_of(workload, Told::What::kLifecycle);
    draft.spec = !plan.status;
    if (plan.status)
        draft.workload->status = std::move(*plan.status);
    else
        draft.workload->spec.active = false;
    draft.told.reason = plan.note_reason;
    draft.told.message = plan.note;
    draft.told.evicted_for = plan.evicted_for;
    return draft;
}

std::optional<WorkloadDraft> draft_explanation(const Workload& workload, const Text& reason, const std::string& message,
                                               const List<kueue::PodSetRequest>& requests, Instant now) {
    const auto* old = find_condition(workload.status, kueue::kWorkloadQuotaReserved);
    if (old && old->reason == reason && old->message == message && workload.status.resource_requests == requests)
        return std::nullopt;
    WorkloadDraft draft = draft_of(workload, Told::What::kExplanation);
    if (!old || !(old->reason == reason)) {
        draft.told.reason = reason;
        draft.told.message = message;
    }
    draft.workload->status.resource_requests = requests;
    set_condition(draft.workload->status, kueue::kWorkloadQuotaReserved, false, reason, message,
                  workload.metadata.generation, now);
    return draft;
}

}  // namespace muster::controllers::queue
