// Finalizers that nobody else would remove: of pods whose Job is gone, has finished, or never was. Without this a
// deleted Job could leave pods behind that can never go.
#pragma once

#include "api/kinds/batch.h"

namespace muster::controllers::jobs {

// `job` is the one that the pod's controller reference names (same namespace and name), null when there is none; a Job
// of another UID is not the pod's. Running Jobs look after their pods themselves; pods of other owners, and of Jobs
// that somebody else manages, are not ours to touch.
bool may_release_orphan(const api::core::Pod& pod, const api::batch::Job* job);

}  // namespace muster::controllers::jobs
