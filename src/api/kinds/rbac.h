// Roles and who holds them. The authorizer reads these; a request is allowed when some rule of some bound role allows
// it, and refused otherwise: there are no rules that forbid.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"

namespace muster::api::rbac {

inline constexpr const char* kPackage = "io.k8s.api.rbac.v1";
inline constexpr const char* kGroup = "rbac.authorization.k8s.io";
inline constexpr const char* kVersion = "v1";

struct PolicyRule {
    TYPE(PolicyRule, "Allows certain verbs on certain resources, or on certain paths.")
    FIELD(1, List<Text>, verbs,
          "What may be done: get, list, watch, create, update, patch, delete and so on. * is everything.",
          .required = true)
    FIELD(2, List<Text>, api_groups, "Groups of the resources. Empty text is the core group, * is all groups.")
    FIELD(3, List<Text>, resources, "The resources, as plurals, with a subresource after a slash: pods/log. * is all.")
    FIELD(4, List<Text>, resource_names, "The objects, by name. All of them when empty.")
    FIELD(5, List<Text>, non_resource_urls,
          "Paths that are not resources, such as /healthz. A * may stand as the last step. Only in cluster roles that "
          "a ClusterRoleBinding grants, and not together with resources.",
          .json = "nonResourceURLs")
};

struct Subject {
    TYPE(Subject, "Who holds a role: a user, a group or a service account.", .atomic = true)
    FIELD(1, Text, kind, "User, Group or ServiceAccount.", .required = true)
    FIELD(2, Text, api_group,
          "Group of the kind: rbac.authorization.k8s.io for User and Group, empty for ServiceAccount. So by default.")
    FIELD(3, Text, name, "Name of the user, group or service account.", .required = true)
    FIELD(4, Text, namespace_, "Namespace of a service account. Empty for users and groups.")
};

struct RoleRef {
    TYPE(RoleRef, "Names the role that a binding grants.", .atomic = true)
    FIELD(1, Text, api_group, "Group of the role's kind: rbac.authorization.k8s.io.", .required = true)
    FIELD(2, Text, kind, "Role or ClusterRole.", .required = true)
    FIELD(3, Text, name, "Name of the role.", .required = true)
};

struct Role {
    KIND(Role, "Rules for objects of one namespace. They take effect where a RoleBinding grants them.",
         .plural = "roles", .access = Access::kAdmin, .created_by_update = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<PolicyRule>, rules, "What the role allows.", .required = true, .optional = true)
};

struct RoleBinding {
    KIND(RoleBinding, "Grants a role to subjects, within one namespace.", .plural = "rolebindings",
         .access = Access::kAdmin, .created_by_update = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<Subject>, subjects, "Who is granted the role.")
    FIELD(3, RoleRef, role_ref,
          "A Role of this namespace, or a ClusterRole whose rules then hold in this namespace only. It cannot change.",
          .required = true)
};

struct AggregationRule {
    TYPE(AggregationRule, "Which cluster roles a cluster role is put together from.")
    FIELD(1, List<meta::LabelSelector>, cluster_role_selectors,
          "Selects by label. The rules of every cluster role that any of these selects are taken in.")
};

struct ClusterRole {
    KIND(ClusterRole, "Rules for objects without namespace, for all namespaces, or for paths.",
         .plural = "clusterroles", .namespaced = false, .created_by_update = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<PolicyRule>, rules, "What the role allows.", .required = true, .optional = true)
    FIELD(3, Box<AggregationRule>, aggregation_rule,
          "When set, rules are filled from other cluster roles, and what is written there is overwritten.")
};

struct ClusterRoleBinding {
    KIND(ClusterRoleBinding, "Grants a cluster role to subjects, everywhere.", .plural = "clusterrolebindings",
         .namespaced = false, .created_by_update = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<Subject>, subjects, "Who is granted the role.")
    FIELD(3, RoleRef, role_ref, "The ClusterRole. It cannot change.", .required = true)
};

}  // namespace muster::api::rbac
