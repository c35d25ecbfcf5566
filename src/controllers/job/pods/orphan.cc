#include "controllers/job/pods/orphan.h"

#include "api/kinds/job_state.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/job/pods/view.h"
#include "controllers/owners.h"

namespace muster::controllers::jobs {

bool may_release_orphan(const api::core::Pod& pod, const api::batch::Job* job) {
    if (!has_tracking_finalizer(pod)) return false;
    const auto* controller = controller_of(pod.metadata);
    if (!controller) return true;
    if (!controller_of(pod.metadata, kJobOwner)) return false;
    if (!job || job->metadata.uid != controller->uid) return true;
    return why_left_alone(*job, Gates{}) == LeftAlone::kFinished;
}

}  // namespace muster::controllers::jobs
