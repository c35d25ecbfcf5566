// Tells those who make pods, and what makes pods, on a server whose node runs processes, that images are not used there.
#pragma once

#include "server/objects/admission.h"

namespace muster::server {

Result<> warn_of_images(AdmissionRequest& request, const Objects& objects);

}  // namespace muster::server
