#include "server/access/rbac/reconcile_roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/rbac/role_index.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace reconcile_roles_test {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;

struct DefaultRolesTest : testing::Test {
    KindStore store;
    RoleIndex roles{*store};
    Prng random{7};

    void ensure() { ensure_default_roles(*store, default_roles(), store.loop().now(), random); }
    bool may(const User& user, const Attributes& attributes) { return authorize(roles, user, attributes).allowed; }
    // Binds a role to "ann" in the namespace "ns".
    void bind(const std::string& role) {
        store.put<api::rbac::RoleBinding>(
            "metadata: {name: b, namespace: ns}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, "
            "name: " +
            role + "}\nsubjects: [{kind: User, name: ann}]");
    }
};

const User kAnn{.name = "ann", .groups = {"system:authenticated"}};

TEST_F(DefaultRolesTest, AnonymousSeesHealthAndVersionOnly) {
    ensure();
    const User anonymous = anonymous_user();
    for (const char* path : {"/healthz", "/livez", "/readyz", "/version"})
        EXPECT_TRUE(may(anonymous, Attributes::for_path("get", path))) << path;
    for (const char* path : {"/", "/api", "/apis", "/openapi/v3", "/metrics", "/healthz/log"})
        EXPECT_FALSE(may(anonymous, Attributes::for_path("get", path))) << path;
    EXPECT_FALSE(may(anonymous, {.verb = "list", .resource = "namespaces"}));
    EXPECT_FALSE(
        may(anonymous, {.verb = "create", .group = "authorization.k8s.io", .resource = "selfsubjectaccessreviews"}));
}

TEST_F(DefaultRolesTest, WhoIsAuthenticatedDiscoversAndAsksAboutThemselves) {
    ensure();
    for (const char* path : {"/api", "/apis/batch/v1", "/openapi/v3", "/version"})
        EXPECT_TRUE(may(kAnn, Attributes::for_path("get", path))) << path;
    EXPECT_FALSE(may(kAnn, Attributes::for_path("get", "/metrics")));
    EXPECT_TRUE(may(kAnn, {.verb = "create", .group = "authorization.k8s.io", .resource = "selfsubjectaccessreviews"}));
    EXPECT_TRUE(may(kAnn, {.verb = "create", .group = "authentication.k8s.io", .resource = "selfsubjectreviews"}));
    EXPECT_FALSE(may(kAnn, {.verb = "create", .group = "authentication.k8s.io", .resource = "tokenreviews"}));
    EXPECT_FALSE(may(kAnn, {.verb = "list", .resource = "pods", .namespace_ = "ns"}));
}

TEST_F(DefaultRolesTest, ViewEditAndAdminAreEachMoreThanTheLast) {
    struct Case {
        const char* name;
        Attributes attributes;
        const char* from;  // the least of the roles that may
    };
    const Case cases[] = {
        {"read pods", {.verb = "list", .resource = "pods", .namespace_ = "ns"}, "view"},
        {"read logs",
         {.verb = "get", .resource = "pods", .subresource = "log", .namespace_ = "ns", .name = "p"},
         "view"},
        {"read jobs", {.verb = "watch", .group = "batch", .resource = "jobs", .namespace_ = "ns"}, "view"},
        {"write jobs", {.verb = "create", .group = "batch", .resource = "jobs", .namespace_ = "ns"}, "edit"},
        {"read secrets", {.verb = "get", .resource = "secrets", .namespace_ = "ns", .name = "s"}, "edit"},
        {"evict",
         {.verb = "create", .resource = "pods", .subresource = "eviction", .namespace_ = "ns", .name = "p"},
         "edit"},
        {"make tokens",
         {.verb = "create", .resource = "serviceaccounts", .subresource = "token", .namespace_ = "ns", .name = "s"},
         "edit"},
        {"give roles",
         {.verb = "create", .group = "rbac.authorization.k8s.io", .resource = "rolebindings", .namespace_ = "ns"},
         "admin"},
        {"write a status",
         {.verb = "update",
          .group = "batch",
          .resource = "jobs",
          .subresource = "status",
          .namespace_ = "ns",
          .name = "j"},
         "cluster-admin"},
        {"write quotas", {.verb = "create", .resource = "resourcequotas", .namespace_ = "ns"}, "cluster-admin"},
        {"bind pods",
         {.verb = "create", .resource = "pods", .subresource = "binding", .namespace_ = "ns", .name = "p"},
         "cluster-admin"},
    };
    ensure();
    for (const Case& c : cases) {
        bool reached = false;
        for (const std::string role : {"view", "edit", "admin", "cluster-admin"}) {
            store.loop().run_until_idle();
            if (store->get("/rbac.authorization.k8s.io/rolebindings/ns/b"))
                store.remove<api::rbac::RoleBinding>("ns", "b");
            bind(role);
            reached = reached || role == c.from;
            EXPECT_EQ(may(kAnn, c.attributes), reached) << c.name << " as " << role;
        }
    }
}

TEST_F(DefaultRolesTest, OurComponentsMayDoTheirWork) {
    ensure();
    const User scheduler{.name = "system:kube-scheduler"};
    EXPECT_TRUE(may(scheduler,
                    {.verb = "create", .resource = "pods", .subresource = "binding", .namespace_ = "ns", .name = "p"}));
    EXPECT_TRUE(may(scheduler, {.verb = "update",
                                .group = "coordination.k8s.io",
                                .resource = "leases",
                                .namespace_ = "kube-system",
                                .name = "kube-scheduler"}));
    EXPECT_FALSE(may(scheduler, {.verb = "get", .resource = "secrets", .namespace_ = "ns", .name = "s"}));
    const User job{.name = service_account_user_name("kube-system", "job-controller")};
    EXPECT_TRUE(may(job, {.verb = "update",
                          .group = "batch",
                          .resource = "jobs",
                          .subresource = "status",
                          .namespace_ = "ns",
                          .name = "j"}));
    EXPECT_FALSE(may({.name = "system:node:x", .groups = {"system:nodes"}}, {.verb = "list", .resource = "secrets"}));
}

TEST_F(DefaultRolesTest, ASecondStartWritesNothing) {
    ensure();
    const store::Revision first = store->revision();
    ensure();
    EXPECT_EQ(store->revision(), first);
    const auto& view = store.get<ClusterRole>("", "view");
    EXPECT_FALSE(view.metadata.uid.empty());
    EXPECT_TRUE(view.metadata.creation_timestamp);
    EXPECT_EQ(*view.metadata.labels.find("kubernetes.io/bootstrapping"), "rbac-defaults");
}

TEST_F(DefaultRolesTest, WhatIsMissingComesBackAndWhatWasAddedStays) {
    ensure();
    ClusterRole role = store.get<ClusterRole>("", "system:basic-user");
    const Text uid = role.metadata.uid;
    role.rules = {role.rules[0]};
    role.rules.edit()[0].verbs = {"create", "dance"};
    store.put(role);
    ClusterRoleBinding binding = store.get<ClusterRoleBinding>("", "system:basic-user");
    binding.subjects.edit()[0].name = "another";
    binding.metadata.labels.reset();
    store.put(binding);
    ensure();
    const auto& again = store.get<ClusterRole>("", "system:basic-user");
    EXPECT_EQ(again.metadata.uid, uid);
    EXPECT_EQ(again.rules[0].verbs.back(), "dance");
    EXPECT_TRUE(may(kAnn, {.verb = "create", .group = "authentication.k8s.io", .resource = "selfsubjectreviews"}));
    const auto& bound = store.get<ClusterRoleBinding>("", "system:basic-user");
    EXPECT_EQ(bound.subjects.size(), 2u);
    EXPECT_TRUE(bound.metadata.labels.contains("kubernetes.io/bootstrapping"));
}

TEST_F(DefaultRolesTest, WhoWantsToBeLeftAloneIs) {
    ensure();
    ClusterRole role = store.get<ClusterRole>("", "system:basic-user");
    role.rules.reset();
    role.metadata.annotations.set("rbac.authorization.kubernetes.io/autoupdate", "false");
    store.put(role);
    ensure();
    EXPECT_TRUE(store.get<ClusterRole>("", "system:basic-user").rules.empty());
}

TEST_F(DefaultRolesTest, ABindingToAnotherRoleIsRecreated) {
    ensure();
    ClusterRoleBinding binding = store.get<ClusterRoleBinding>("", "cluster-admin");
    const Text uid = binding.metadata.uid;
    binding.role_ref.name = "view";
    store.put(binding);
    ensure();
    const auto& again = store.get<ClusterRoleBinding>("", "cluster-admin");
    EXPECT_EQ(again.role_ref.name, "cluster-admin");
    EXPECT_FALSE(again.metadata.uid == uid);
}

}  // namespace reconcile_roles_test
}  // namespace muster::server
