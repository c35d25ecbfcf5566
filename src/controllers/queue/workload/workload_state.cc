#include "controllers/queue/workload/workload_state.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/words.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;
using api::kueue::WorkloadStatus;
using api::meta::Condition;

}  // namespace

bool is_in_use(const api::kueue::Workload& workload) {
    const auto& finalizers = workload.metadata.finalizers;
    return std::find(finalizers.begin(), finalizers.end(), Text(names::kResourceInUseFinalizer)) != finalizers.end();
}

bool set_condition(WorkloadStatus& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, std::int64_t generation, Instant now) {
    return api::set_condition(status.conditions, {type, api::condition_status(holds), reason, message, generation},
                              api::Time::from_instant(now));
}

void give_back_quota(WorkloadStatus& status, std::int64_t generation, Instant now) {
    const Condition* evicted = find_condition(status, names::kWorkloadEvicted);
    const Text reason = evicted ? evicted->reason : Text(names::kReasonPendingEvaluation);
    const Text message = evicted ? evicted->message : Text("The workload was stopped");
    const bool again = reason == names::kEvictedPreempted || reason == names::kEvictedNodeFailures;
    if (evicted) set_condition(status, names::kWorkloadRequeued, again, reason, message, generation, now);
    set_condition(status, names::kWorkloadQuotaReserved, false, names::kReasonPendingEvaluation, message, generation,
                  now);
    if (find_condition(status, names::kWorkloadAdmitted))
        set_condition(status, names::kWorkloadAdmitted, false, reason_of(Word::kNoReservation),
                      say(Word::kNoReservation), generation, now);
    if (find_condition(status, names::kWorkloadPodsReady))
        set_condition(status, names::kWorkloadPodsReady, false, reason_of(Word::kPodsNotReady),
                      say(Word::kPodsNotReady), generation, now);
    status.admission.reset();
}

bool keep_pods_ready(WorkloadStatus& status, bool ready, std::int64_t generation, Instant now) {
    const Condition* old = find_condition(status, names::kWorkloadPodsReady);
    // give_back_quota resets the condition to this reason.
    const bool once_ready = old && !(old->reason == names::kPodsReadyWaitForStart);
    if (ready) {
        const bool recovered = once_ready && !(old->reason == names::kPodsReadyStarted);
        return set_condition(status, names::kWorkloadPodsReady, true,
                             recovered ? names::kPodsReadyRecovered : names::kPodsReadyStarted, say(Word::kPodsReady),
                             generation, now);
    }
    const Word word = once_ready ? Word::kPodsRecover : Word::kPodsNotReady;
    return set_condition(status, names::kWorkloadPodsReady, false, reason_of(word), say(word), generation, now);
}

}  // namespace muster::controllers
