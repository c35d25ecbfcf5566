// The rules for roles and their bindings. Their names may be anything that can stand in a path: system:node is one.
#pragma once

#include "api/kinds/rbac.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_role_create(const rbac::Role& role);
FieldErrors validate_role_create(const rbac::ClusterRole& role);
FieldErrors validate_role_update(const rbac::Role& now, const rbac::Role& before);
FieldErrors validate_role_update(const rbac::ClusterRole& now, const rbac::ClusterRole& before);
FieldErrors validate_role_binding_create(const rbac::RoleBinding& binding);
FieldErrors validate_role_binding_create(const rbac::ClusterRoleBinding& binding);
// roleRef cannot change; the subjects can.
FieldErrors validate_role_binding_update(const rbac::RoleBinding& now, const rbac::RoleBinding& before);
FieldErrors validate_role_binding_update(const rbac::ClusterRoleBinding& now, const rbac::ClusterRoleBinding& before);

// Not "." or "..", and without '/' and '%'.
Problems is_path_segment_name(std::string_view name);

}  // namespace muster::api
