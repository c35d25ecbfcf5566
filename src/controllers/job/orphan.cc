#include "controllers/job/orphan.h"

#include "api/kinds/job_state.h"
#include "controllers/job/pod_state.h"
#include "controllers/job/view.h"

namespace muster::controllers::jobs {

bool may_release_orphan(const api::core::Pod& pod, const api::batch::Job* job) {
    if (!has_tracking_finalizer(pod)) return false;
    const auto* controller = controller_of(pod);
    if (!controller) return true;
    if (controller->kind != "Job" || controller->api_version != "batch/v1") return false;
    if (!job || job->metadata.uid != controller->uid) return true;
    return why_left_alone(*job, Gates{}) == LeftAlone::kFinished;
}

}  // namespace muster::controllers::jobs
