// Pod Security as Kubernetes' admission plugin of that name has it: the labels of a namespace say which pods are
// refused, which are only warned of, and which are noted in the audit log. Templates (Jobs, CronJobs, PodTemplates) are
// never refused. The checks are in api/security/.
#pragma once

#include "server/objects/admission.h"

namespace muster::server {

// Validating: pods, templates and namespaces.
Result<> check_security(AdmissionRequest& request, const Objects& objects);

}  // namespace muster::server
