#include "controllers/queue/pods/steps/release.h"

#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {

Release decide_release(const Standing& standing) {
    Release out;
    const api::kueue::WorkloadStatus& status = standing.workload.status;
    const bool evicted = is_evicted(status);
    // A driven group starts again, see survey_roles().
    const bool restarts = standing.driven && evicted && !has_reservation(status);
    const OwnerUids owners(standing.workload);
    for (const Member& member : standing.members) {
        if (!member.held) continue;
        const bool abandoned = is_abandoned(member, standing.view.now);
        if (member.runs() && member.forced && !abandoned) wake_by(out.wake_at, given_up_at(*member.pod));
        const bool over =
            abandoned || (member.deleting && (member.is_lost() || (member.ended() && (restarts || standing.serving))));
        const bool remains = evicted && member.failed;
        // A serving group never finishes, so its unretriable pods need not be remembered.
        const bool gives_up = is_unretriable(*member.pod) && member.ended() && !standing.serving;
        if ((!over && !remains) || gives_up) continue;
        out.pods.push_back(member.pod);
        if (evicted && member.stopped && standing.is_group() && owners.contain(*member.pod))
            out.remove_owners.push_back(member.pod->metadata.uid);
    }
    return out;
}

}  // namespace muster::controllers::podqueue
