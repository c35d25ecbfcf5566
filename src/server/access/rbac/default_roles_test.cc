#include "server/access/rbac/default_roles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/kinds/kind_list.h"

namespace muster::server {
namespace default_roles_test {

using api::Access;

bool has(const List<Text>& words, std::string_view word) {
    return std::any_of(words.begin(), words.end(), [&](const Text& one) { return one == word; });
}

bool may(const DefaultRoles& roles, std::string_view role, std::string_view verb, std::string_view group,
         std::string_view resource) {
    const auto found = std::find_if(roles.cluster_roles.begin(), roles.cluster_roles.end(),
                                    [&](const auto& one) { return one.metadata.name == role; });
    return std::any_of(found->rules.begin(), found->rules.end(), [&](const api::rbac::PolicyRule& rule) {
        return has(rule.verbs, verb) && has(rule.api_groups, group) && has(rule.resources, resource);
    });
}

TEST(DefaultRoles, ViewEditAndAdminHaveTheRightsThatEachKindSays) {
    const DefaultRoles roles = default_roles();
    api::for_each_kind<api::StoredKinds>([&]<class K>() {
        const api::KindInfo& kind = api::kind_info<K>();
        SCOPED_TRACE(kind.kind);
        const Access access = kind.options.access;
        const bool is_viewed = access == Access::kView || access == Access::kEdit;
        const bool is_edited = access == Access::kEdit || access == Access::kWrite;
        const auto allows = [&](const char* role, const char* verb) {
            return may(roles, role, verb, kind.group, kind.options.plural);
        };
        for (const char* verb : {"get", "list", "watch"}) {
            EXPECT_EQ(allows("view", verb), is_viewed);
            EXPECT_EQ(allows("edit", verb), is_viewed || is_edited);
            EXPECT_EQ(allows("admin", verb), access != Access::kNone);
        }
        for (const char* verb : {"create", "update", "patch", "delete", "deletecollection"}) {
            EXPECT_FALSE(allows("view", verb));
            EXPECT_EQ(allows("edit", verb), is_edited);
            EXPECT_EQ(allows("admin", verb), is_edited || access == Access::kAdmin);
        }
        const std::string status = std::string(kind.options.plural) + "/status";
        EXPECT_EQ(may(roles, "view", "get", kind.group, status), is_viewed && kind.type().find("status"));
        EXPECT_FALSE(may(roles, "admin", "update", kind.group, status));
    });
}

TEST(DefaultRoles, QueueingHasTheRolesThatKueueInstalls) {
    const DefaultRoles roles = default_roles();
    std::vector<std::string> names;
    for (const auto& role : roles.cluster_roles)
        if (role.metadata.name.view().starts_with("kueue-")) names.push_back(role.metadata.name.str());
    EXPECT_EQ(names, std::vector<std::string>(
                         {"kueue-batch-admin-role", "kueue-batch-user-role", "kueue-clusterqueue-editor-role",
                          "kueue-clusterqueue-viewer-role", "kueue-cohort-editor-role", "kueue-cohort-viewer-role",
                          "kueue-localqueue-editor-role", "kueue-localqueue-viewer-role",
                          "kueue-resourceflavor-editor-role", "kueue-resourceflavor-viewer-role",
                          "kueue-workload-editor-role", "kueue-workload-viewer-role", "kueue-job-editor-role"}));
    const struct {
        const char* resource;
        bool users_see;
    } cases[] = {
        {"clusterqueues", false},   {"cohorts", false},  {"localqueues", true},
        {"resourceflavors", false}, {"workloads", true},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.resource);
        EXPECT_TRUE(may(roles, "kueue-batch-admin-role", "create", "kueue.x-k8s.io", one.resource));
        EXPECT_FALSE(may(roles, "kueue-batch-user-role", "create", "kueue.x-k8s.io", one.resource));
        EXPECT_EQ(may(roles, "kueue-batch-user-role", "list", "kueue.x-k8s.io", one.resource), one.users_see);
        EXPECT_EQ(may(roles, "view", "list", "kueue.x-k8s.io", one.resource), one.users_see);
    }
    EXPECT_TRUE(may(roles, "kueue-batch-user-role", "create", "batch", "jobs"));
}

TEST(DefaultRoles, WhatIsNoKindHasItsOwnRights) {
    const DefaultRoles roles = default_roles();
    EXPECT_TRUE(may(roles, "view", "get", "", "pods/log"));
    EXPECT_TRUE(may(roles, "view", "list", "events.k8s.io", "events"));
    EXPECT_TRUE(may(roles, "view", "list", "apps", "deployments"));
    EXPECT_FALSE(may(roles, "view", "create", "", "pods/exec"));
    EXPECT_TRUE(may(roles, "edit", "create", "", "pods/exec"));
    EXPECT_TRUE(may(roles, "edit", "get", "", "pods/exec"));
    EXPECT_TRUE(may(roles, "edit", "create", "", "pods/eviction"));
    EXPECT_TRUE(may(roles, "edit", "create", "", "serviceaccounts/token"));
    EXPECT_TRUE(may(roles, "edit", "impersonate", "", "serviceaccounts"));
    EXPECT_TRUE(may(roles, "edit", "create", "events.k8s.io", "events"));
    EXPECT_TRUE(may(roles, "admin", "create", "authorization.k8s.io", "localsubjectaccessreviews"));
    EXPECT_FALSE(may(roles, "edit", "create", "authorization.k8s.io", "localsubjectaccessreviews"));
}

}  // namespace default_roles_test
}  // namespace muster::server
