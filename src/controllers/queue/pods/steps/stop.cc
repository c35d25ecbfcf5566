#include "controllers/queue/pods/steps/stop.h"

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {

Stopping decide_stop(const Standing& standing) {
    const api::kueue::WorkloadStatus& status = standing.workload.status;
    const api::meta::Condition* evicted = find_condition(status, api::kueue::kWorkloadEvicted);
    const bool is_eviction = evicted && evicted->status == api::kueue::kConditionTrue;
    Stopping out;
    bool quiet = true;
    for (const Member& member : standing.members) {
        if (!member.runs()) continue;
        if (!member.deleting) {
            out.remove.push_back({member.pod, WhyRemoved::kStopped,
                                  is_eviction ? evicted->message.str() : "The workload is not admitted",
                                  is_eviction ? evicted->reason.str() : "NotAdmitted"});
            quiet = false;
        } else if (is_awaited(member, standing.view.now)) {
            quiet = false;
            wake_by(out.wake_at, given_up_at(*member.pod));
        } else if (member.held && is_abandoned(member, standing.view.now)) {
            quiet = false;  // its finalizer is removed first: while the pod is in the API, its quota is in use
        }
    }
    out.gives_back_quota = quiet && has_reservation(status);
    // A single pod that ran does not come back; its Workload would only take quota again.
    if (out.gives_back_quota && !standing.is_group() && !standing.members.empty() && standing.members.front().deleting)
        out.ending = owner_not_found();
    return out;
}

}  // namespace muster::controllers::podqueue
