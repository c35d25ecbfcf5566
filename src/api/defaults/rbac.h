// What bindings of roles are before anybody looks at them: the groups of users, groups and roles are known.
#pragma once

#include "api/kinds/rbac.h"

namespace muster::api {

void default_role_binding(rbac::RoleBinding& binding);
void default_role_binding(rbac::ClusterRoleBinding& binding);

}  // namespace muster::api
