// The escalation checks as a step of the admission chain: writes of roles and bindings by users.
#pragma once

#include "server/access/rbac/rbac.h"
#include "server/objects/admission.h"

namespace muster::server {

// The view must outlive the step. Those inside the process are not asked.
AdmissionStep check_escalation(const RoleView& roles);

}  // namespace muster::server
