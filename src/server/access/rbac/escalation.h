// Prevention of privilege escalation. A user who writes a role must hold all its rules, or the verb `escalate` on it. A
// user who writes a binding must hold all rules of its role, or the verb `bind` on it. Checked after authorization,
// with the object as it would be stored.
#pragma once

#include "api/kinds/rbac.h"
#include "server/access/rbac/rbac.h"

namespace muster::server {

// `before` is null for a create. kForbidden in Kubernetes' words; for a binding, kNotFound when the role is not there.
Result<> check_role_write(const RoleView& roles, const User& user, const api::rbac::Role& now,
                          const api::rbac::Role* before);
Result<> check_role_write(const RoleView& roles, const User& user, const api::rbac::ClusterRole& now,
                          const api::rbac::ClusterRole* before);
Result<> check_binding_write(const RoleView& roles, const User& user, const api::rbac::RoleBinding& now,
                             const api::rbac::RoleBinding* before);
Result<> check_binding_write(const RoleView& roles, const User& user, const api::rbac::ClusterRoleBinding& now,
                             const api::rbac::ClusterRoleBinding* before);

}  // namespace muster::server
