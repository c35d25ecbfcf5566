// Removes the tracking finalizer from pods whose Job is gone, has finished, or never existed. No other code removes it,
// so such pods could never be deleted.
#pragma once

#include "controllers/job/pods/view.h"

namespace muster::controllers::jobs {

// `job` is the one that the pod's controller reference names (same namespace and name), null when there is none; a Job
// of another UID is not the pod's. False for pods of running Jobs, whose sync removes the finalizer; for pods of other
// owners; and for pods of Jobs that another controller manages. Of a Job that is gone nothing says who managed it:
// Kubernetes' own Job controller takes care of all such pods, and so does this one in its place. Beside it, this one
// takes care of pods whose Job it has seen and which was its own (`was_owned`).
bool may_release_orphan(const api::core::Pod& pod, const api::batch::Job* job, const Ownership& ownership = {},
                        bool was_owned = false);

}  // namespace muster::controllers::jobs
