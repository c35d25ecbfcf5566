#include "controllers/queue/orphans/decide.h"

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {

bool is_orphan(const api::kueue::Workload& workload) {
    return workload.metadata.owner_references.empty() && controllers::is_in_use(workload) &&
           !podqueue::is_group_workload(workload);
}

OrphanPlan decide_orphan(const api::kueue::Workload& workload, const std::vector<podqueue::PodRef>& pods, Instant now) {
    OrphanPlan plan;
    if (!is_orphan(workload)) return plan;
    std::size_t running = 0;
    for (const podqueue::Member& member : podqueue::sort_members(pods)) {
        if (!podqueue::is_awaited(member, now)) continue;
        ++running;
        if (!member.deleting) {
            if (is_evicted(workload.status)) plan.remove.push_back(member.pod);
            continue;
        }
        const Instant given_up = podqueue::given_up_at(*member.pod);
        if (!plan.wake_at || given_up < *plan.wake_at) plan.wake_at = given_up;
    }
    if (running > 0) {
        if (workload.metadata.deletion_timestamp)
            plan.why = std::to_string(running) + " pods still run with its quota; it is removed when they have ended";
        return plan;
    }
    if (!is_finished(workload.status)) {
        plan.status = workload.status;
        set_condition(*plan.status, api::kueue::kWorkloadFinished, true, reason_of(Word::kOwnerNotFound),
                      say(Word::kOwnerNotFound), workload.metadata.generation, now);
    }
    plan.release = true;
    return plan;
}

}  // namespace muster::controllers::queue
