// Ties a stored pod to a node, once: what POST pods/NAME/binding and the client inside the process have in common.
#pragma once

#include <string_view>

#include "api/kinds/core/pod.h"
#include "server/objects/objects.h"

namespace muster::server {

// The pod that the binding's metadata names; a uid or a version there must be the pod's. kInvalid when it names no
// node, kConflict when the pod has one, is being deleted or is held back by a scheduling gate.
Result<Outcome> bind_stored_pod(Objects& objects, std::string_view namespace_, const api::core::Binding& binding,
                                bool dry_run);

}  // namespace muster::server
