// Restores the default roles in the store at every start: creates missing roles and bindings, and adds missing rules
// and subjects. Rules and subjects that users added stay. The annotation rbac.authorization.kubernetes.io/autoupdate:
// false on an object turns this off for the object.
#pragma once

#include <optional>

#include "api/kinds/rbac.h"
#include "base/instant.h"
#include "base/prng.h"
#include "server/access/rbac/default_roles.h"
#include "store/store.h"

namespace muster::server {

// What must be written in place of an existing object; nothing when it is as it should be, or wants to be left alone.
std::optional<api::rbac::ClusterRole> reconcile_role(const api::rbac::ClusterRole& existing,
                                                     const api::rbac::ClusterRole& expected);
std::optional<api::rbac::Role> reconcile_role(const api::rbac::Role& existing, const api::rbac::Role& expected);
// A binding to another role cannot be changed: the result then has no uid, and takes the place of one that must be
// removed first.
std::optional<api::rbac::ClusterRoleBinding> reconcile_binding(const api::rbac::ClusterRoleBinding& existing,
                                                               const api::rbac::ClusterRoleBinding& expected);
std::optional<api::rbac::RoleBinding> reconcile_binding(const api::rbac::RoleBinding& existing,
                                                        const api::rbac::RoleBinding& expected);

// Brings the store's objects to that state. `random` makes UIDs.
void ensure_default_roles(store::Store& store, const DefaultRoles& defaults, Instant now, Prng& random);

}  // namespace muster::server
