// The LimitRanges of a namespace, as Kubernetes' admission plugin LimitRanger has them: a new pod gets the defaults,
// and pods and claims outside the bounds are refused. The rules are in api/limits/.
#pragma once

#include "server/objects/admission.h"

namespace muster::server {

// On create of a pod, mutating.
Result<> admit_limit_ranges(AdmissionRequest& request, const Objects& objects);
// On create of a pod, and on create and update of a claim; validating.
Result<> check_limit_ranges(AdmissionRequest& request, const Objects& objects);

}  // namespace muster::server
