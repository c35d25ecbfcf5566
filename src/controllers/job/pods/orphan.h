// Removes the tracking finalizer from pods whose Job is gone, has finished, or never existed. No other code removes it,
// so such pods could never be deleted.
#pragma once

#include "api/kinds/batch.h"

namespace muster::controllers::jobs {

// `job` is the one that the pod's controller reference names (same namespace and name), null when there is none; a Job
// of another UID is not the pod's. False for pods of running Jobs, whose sync removes the finalizer; for pods of other
// owners; and for pods of Jobs that an external controller manages.
bool may_release_orphan(const api::core::Pod& pod, const api::batch::Job* job);

}  // namespace muster::controllers::jobs
