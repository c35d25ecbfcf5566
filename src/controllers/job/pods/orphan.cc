#include "controllers/job/pods/orphan.h"

#include "api/kinds/job_state.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/owners.h"

namespace muster::controllers::jobs {

bool may_release_orphan(const api::core::Pod& pod, const api::batch::Job* job, const Ownership& ownership,
                        bool was_owned) {
    if (!has_tracking_finalizer(pod)) return false;
    const auto* controller = controller_of(pod.metadata);
    if (!controller) return ownership.unmanaged;
    if (!controller_of(pod.metadata, kJobOwner)) return false;
    if (!job || job->metadata.uid != controller->uid) return ownership.unmanaged || was_owned;
    return is_owned(*job, ownership) && api::batch::is_finished(job->status);
}

}  // namespace muster::controllers::jobs
