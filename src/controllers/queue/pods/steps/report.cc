#include "controllers/queue/pods/steps/report.h"

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

using api::kueue::WorkloadStatus;

bool is_pod_ready(const api::core::Pod& pod) {
    for (const api::core::PodCondition& condition : pod.status.conditions)
        if (condition.type == "Ready") return condition.status == "True";
    return false;
}

void report_absent(const Standing& standing, const std::string& missing, WorkloadStatus& status) {
    const char* type = api::kueue::kWorkloadWaitingForReplacementPods;
    const std::int64_t generation = standing.workload.metadata.generation;
    const Instant now = standing.view.now;
    const bool whole = standing.absent() == 0;
    if (whole && missing.empty()) {
        if (is_true(status, type))
            set_condition(status, type, false, reason_of(Word::kReplacementsReady), say(Word::kReplacementsReady),
                          generation, now);
        return;
    }
    const api::meta::Condition* evicted = find_condition(status, api::kueue::kWorkloadEvicted);
    const bool is_eviction = evicted && evicted->status == api::kueue::kConditionTrue;
    const std::string reason = is_eviction ? evicted->reason.str() : reason_of(Word::kReplacementsNeeded);
    const std::string message = whole ? missing : is_eviction ? evicted->message.str() : say(Word::kReplacementsNeeded);
    set_condition(status, type, true, reason, message, generation, now);
}

}  // namespace

void report_group(const Standing& standing, const std::string& missing, WorkloadStatus& status) {
    if (standing.is_group()) report_absent(standing, missing, status);
    if (!standing.view.watch_readiness || !is_admitted(status)) return;
    bool ready = standing.absent() == 0;
    for (const Member& member : standing.members)
        if (member.role >= 0 && !member.ended() && !member.is_lost()) ready &= is_pod_ready(*member.pod);
    keep_pods_ready(status, ready, standing.workload.metadata.generation, standing.view.now);
}

}  // namespace muster::controllers::podqueue
