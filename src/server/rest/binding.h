// POST pods/NAME/binding: ties a pod to a node, once.
#pragma once

#include "server/rest/verbs.h"

namespace muster::server {

Result<Answer> bind_pod(Objects& objects, Call& call);

}  // namespace muster::server
