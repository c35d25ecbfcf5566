// The rules of queueing (controllers/queue/pods/group/gate.h, jobs/gate.h) as steps of the server's admission chain:
// they change what is created, and refuse what may not be written.
#pragma once

#include "api/configuration/kueue_configuration.h"
#include "server/objects/admission.h"

namespace muster {

// Both must come after whatever else changes a pod: the shape of the pod is what the others have made of it.
server::AdmissionStep queue_mutation(api::kueue::QueueConfiguration configuration);
server::AdmissionStep queue_validation(api::kueue::QueueConfiguration configuration);

}  // namespace muster
