#include "server/access/role_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "server/access/default_roles.h"
#include "server/access/reconcile_roles.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;
using api::rbac::Role;
using api::rbac::RoleBinding;

const User kAnn{.name = "ann", .groups = {"dev"}};
const Attributes kListHere{.verb = "list", .resource = "pods", .namespace_ = "here"};
const Attributes kListThere{.verb = "list", .resource = "pods", .namespace_ = "there"};
const Attributes kListAll{.verb = "list", .resource = "pods"};

constexpr const char* kReaderRule = "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]\n";

struct RoleIndexTest : testing::Test {
    KindStore store;
    RoleIndex roles{*store};

    void put_cluster_role(const std::string& name, const std::string& rest = kReaderRule) {
        store.put<ClusterRole>("metadata: {name: " + name + "}\n" + rest);
    }
    void put_cluster_binding(const std::string& name, const std::string& role, const std::string& subjects) {
        store.put<ClusterRoleBinding>("metadata: {name: " + name +
                                      "}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: " +
                                      role + "}\nsubjects: " + subjects);
    }
    void put_binding(const std::string& namespace_, const std::string& name, const std::string& kind,
                     const std::string& role, const std::string& subjects) {
        store.put<RoleBinding>("metadata: {name: " + name + ", namespace: " + namespace_ +
                               "}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + kind + ", name: " + role +
                               "}\nsubjects: " + subjects);
    }
    bool may(const User& user, const Attributes& attributes) { return authorize(roles, user, attributes).allowed; }
    std::string reason(const User& user, const Attributes& attributes) {
        return authorize(roles, user, attributes, Explain::kEverything).reason;
    }
};

TEST_F(RoleIndexTest, NobodyMayAnythingWithoutARoleButMasters) {
    EXPECT_FALSE(may(kAnn, kListHere));
    EXPECT_TRUE(may({.name = "root", .groups = {"system:masters"}}, kListHere));
    const auto refused = check_access(roles, kAnn, kListHere);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(),
              (Error{Code::kForbidden,
                     "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in the "
                     "namespace \"here\""}));
}

TEST_F(RoleIndexTest, AClusterBindingHoldsEverywhere) {
    put_cluster_role("reader");
    put_cluster_binding("readers", "reader", "[{kind: User, name: ann}]");
    for (const Attributes& attributes : {kListHere, kListThere, kListAll}) EXPECT_TRUE(may(kAnn, attributes));
    EXPECT_FALSE(may({.name = "bob"}, kListHere));
    EXPECT_EQ(reason(kAnn, kListAll),
              "RBAC: allowed by ClusterRoleBinding \"readers\" of ClusterRole \"reader\" to User \"ann\"");
    EXPECT_TRUE(authorize(roles, kAnn, kListAll).reason.empty());
}

TEST_F(RoleIndexTest, ABindingHoldsInItsNamespaceOnlyWhateverRoleItNames) {
    put_cluster_role("reader");
    store.put<Role>(std::string("metadata: {name: local, namespace: there}\n") + kReaderRule);
    put_binding("here", "b", "ClusterRole", "reader", "[{kind: Group, name: dev}]");
    EXPECT_TRUE(may(kAnn, kListHere));
    EXPECT_FALSE(may(kAnn, kListThere));
    EXPECT_FALSE(may(kAnn, kListAll));
    EXPECT_EQ(reason(kAnn, kListHere),
              "RBAC: allowed by RoleBinding \"b/here\" of ClusterRole \"reader\" to Group \"dev\"");
    put_binding("there", "b", "Role", "local", "[{kind: User, name: ann}]");
    EXPECT_TRUE(may(kAnn, kListThere));
    // A Role is of its own namespace.
    put_binding("here", "b", "Role", "local", "[{kind: User, name: ann}]");
    EXPECT_FALSE(may(kAnn, kListHere));
}

TEST_F(RoleIndexTest, AServiceAccountIsOfTheBindingsNamespaceUnlessItSaysOtherwise) {
    put_cluster_role("reader");
    const auto account = [](const char* namespace_) {
        return User{.name = service_account_user_name(namespace_, "runner")};
    };
    put_binding("here", "b", "ClusterRole", "reader", "[{kind: ServiceAccount, name: runner}]");
    EXPECT_TRUE(may(account("here"), kListHere));
    EXPECT_FALSE(may(account("there"), kListHere));
    put_binding("here", "b", "ClusterRole", "reader", "[{kind: ServiceAccount, name: runner, namespace: there}]");
    EXPECT_TRUE(may(account("there"), kListHere));
    EXPECT_FALSE(may(account("here"), kListHere));
    EXPECT_EQ(reason(account("there"), kListHere),
              "RBAC: allowed by RoleBinding \"b/here\" of ClusterRole \"reader\" to ServiceAccount \"runner/there\"");
    put_cluster_binding("c", "reader", "[{kind: ServiceAccount, name: runner}]");
    EXPECT_FALSE(may(account(""), kListAll));
}

TEST_F(RoleIndexTest, ChangesHoldFromTheMomentTheyAreWritten) {
    put_cluster_binding("readers", "reader", "[{kind: User, name: ann}]");
    EXPECT_EQ(reason(kAnn, kListAll), "RBAC: clusterrole.rbac.authorization.k8s.io \"reader\" not found");
    put_cluster_role("reader");
    EXPECT_TRUE(may(kAnn, kListAll));
    put_cluster_role("reader", "rules: []");
    EXPECT_FALSE(may(kAnn, kListAll));
    put_cluster_role("reader");
    EXPECT_TRUE(may(kAnn, kListAll));
    put_cluster_binding("readers", "reader", "[{kind: User, name: bob}, {kind: Group, name: dev}]");
    EXPECT_TRUE(may(kAnn, kListAll));
    EXPECT_TRUE(may({.name = "bob"}, kListAll));
    put_cluster_binding("readers", "reader", "[{kind: User, name: bob}]");
    EXPECT_FALSE(may(kAnn, kListAll));
    store.remove<ClusterRoleBinding>("", "readers");
    EXPECT_FALSE(may({.name = "bob"}, kListAll));
    put_cluster_binding("readers", "reader", "[{kind: User, name: bob}]");
    store.remove<ClusterRole>("", "reader");
    EXPECT_FALSE(may({.name = "bob"}, kListAll));
}

TEST_F(RoleIndexTest, MissingRolesAreNamedOnlyInADenial) {
    put_binding("here", "b", "Role", "gone", "[{kind: User, name: ann}]");
    put_cluster_binding("c", "lost", "[{kind: User, name: ann}]");
    EXPECT_EQ(reason(kAnn, kListHere),
              "RBAC: [clusterrole.rbac.authorization.k8s.io \"lost\" not found, role.rbac.authorization.k8s.io "
              "\"gone\" not found]");
    put_cluster_role("lost");
    EXPECT_EQ(reason(kAnn, kListHere),
              "RBAC: allowed by ClusterRoleBinding \"c\" of ClusterRole \"lost\" to User \"ann\"");
}

TEST_F(RoleIndexTest, ABindingThatNamesSomebodyTwiceHoldsOnce) {
    put_cluster_role("reader");
    put_cluster_binding("c", "reader", "[{kind: User, name: ann}, {kind: Group, name: dev}]");
    EXPECT_EQ(rules_for(roles, kAnn, "here").rules.size(), 1u);
}

TEST_F(RoleIndexTest, RulesOfARoleAreFoundByTheBindingsReference) {
    store.put<Role>(std::string("metadata: {name: local, namespace: here}\n") + kReaderRule);
    api::rbac::RoleRef ref;
    ref.kind = "Role";
    ref.name = "local";
    EXPECT_EQ(roles.rules_of(ref, "here")->size(), 1u);
    EXPECT_EQ(roles.rules_of(ref, "there").error(),
              (Error{Code::kNotFound, "roles.rbac.authorization.k8s.io \"local\" not found"}));
    ref.kind = "ClusterRole";
    EXPECT_EQ(roles.rules_of(ref, "here").error(),
              (Error{Code::kNotFound, "clusterroles.rbac.authorization.k8s.io \"local\" not found"}));
}

TEST(RoleIndexHistory, WhatWasMissedIsReadAgain) {
    KindStore store({.history_events_max = 64});
    RoleIndex roles(*store);
    store.put<ClusterRoleBinding>(
        "metadata: {name: readers}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}\n"
        "subjects: [{kind: User, name: ann}]");
    for (int i = 0; i < 1000; ++i)
        store.put<ClusterRole>("metadata: {name: reader, labels: {i: x" + std::to_string(i) + "}}\n" + kReaderRule);
    EXPECT_TRUE(authorize(roles, kAnn, kListAll).allowed);
    store.remove<ClusterRole>("", "reader");
    EXPECT_FALSE(authorize(roles, kAnn, kListAll).allowed);
}

// Not an assertion about time, which depends on the machine: the figure is in the test's properties.
TEST(RoleIndexSpeed, ATypicalCheckTakesAboutAMicrosecond) {
    KindStore store;
    Prng random(1);
    ensure_default_roles(*store, default_roles(), store.loop().now(), random);
    for (int i = 0; i < 1000; ++i)
        store.put<RoleBinding>("metadata: {name: b" + std::to_string(i) + ", namespace: team" +
                               std::to_string(i % 100) +
                               "}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}\n"
                               "subjects: [{kind: User, name: user" +
                               std::to_string(i) + "}]");
    const RoleIndex roles(*store);
    const User user{.name = "user707", .groups = {"dev", "ops", "system:authenticated"}};
    const Attributes create_job{
        .verb = "create", .group = "batch", .version = "v1", .resource = "jobs", .namespace_ = "team7"};
    EXPECT_TRUE(authorize(roles, user, create_job).allowed);
    EXPECT_FALSE(authorize(roles, user, {.verb = "create", .group = "batch", .resource = "jobs", .namespace_ = "team8"})
                     .allowed);
    constexpr int kRounds = 100'000;
    const auto start = std::chrono::steady_clock::now();
    int allowed = 0;
    for (int i = 0; i < kRounds; ++i) allowed += authorize(roles, user, create_job).allowed;
    const auto each = (std::chrono::steady_clock::now() - start) / kRounds;
    EXPECT_EQ(allowed, kRounds);
    RecordProperty("nanoseconds", std::to_string(each.count()));
}

}  // namespace
}  // namespace muster::server
