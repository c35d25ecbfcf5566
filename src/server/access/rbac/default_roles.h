// The roles and bindings that every server has: what users, our own components and upstream's that run against us need.
// Kubernetes' names, with rules for the resources that are served here.
#pragma once

#include <vector>

#include "api/kinds/rbac.h"

namespace muster::server {

struct DefaultRoles {
    std::vector<api::rbac::ClusterRole> cluster_roles{};
    std::vector<api::rbac::ClusterRoleBinding> cluster_role_bindings{};
    std::vector<api::rbac::Role> roles{};  // in kube-system
    std::vector<api::rbac::RoleBinding> role_bindings{};
};
// With Kubernetes' mark on each: the label kubernetes.io/bootstrapping and the annotation that allows updates.
// Aggregated roles have their rules.
DefaultRoles default_roles();

}  // namespace muster::server
