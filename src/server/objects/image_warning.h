// For a server whose node runs processes: clients that create pods, Jobs or CronJobs are warned that images are not
// used.
#pragma once

#include "server/objects/admission.h"

namespace muster::server {

Result<> warn_of_images(AdmissionRequest& request, const Objects& objects);

}  // namespace muster::server
