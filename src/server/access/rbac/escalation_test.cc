#include "server/access/rbac/escalation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/rbac/role_index.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace escalation_test {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;
using api::rbac::Role;
using api::rbac::RoleBinding;
using testing::HasSubstr;

const User kAnn{.name = "ann", .groups = {"dev", "system:authenticated"}};
const User kRoot{.name = "root", .groups = {"system:masters"}};

constexpr const char* kPodReader = "rules: [{verbs: [get, list], apiGroups: [''], resources: [pods]}]\n";

template <class K>
K parsed(const std::string& yaml) {
    return api::from_yaml<K>(yaml).value();
}

struct EscalationTest : testing::Test {
    KindStore store;
    RoleIndex roles{*store};

    // Ann holds these rules in the namespace "ns" (or everywhere).
    void hold(const std::string& rules, bool everywhere = false) {
        store.put<ClusterRole>("metadata: {name: ann-holds}\nrules: " + rules);
        const std::string rest =
            "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ann-holds}\n"
            "subjects: [{kind: User, name: ann}]";
        if (everywhere) {
            store.put<ClusterRoleBinding>("metadata: {name: b}\n" + rest);
        } else {
            store.put<RoleBinding>("metadata: {name: b, namespace: ns}\n" + rest);
        }
    }
    Role role(const std::string& rest = kPodReader) {
        return parsed<Role>("metadata: {name: r, namespace: ns}\n" + rest);
    }
    ClusterRole cluster_role(const std::string& rest = kPodReader) {
        return parsed<ClusterRole>("metadata: {name: r}\n" + rest);
    }
    RoleBinding binding(const std::string& kind, const std::string& name) {
        return parsed<RoleBinding>(
            "metadata: {name: rb, namespace: ns}\nroleRef: {apiGroup: rbac.authorization.k8s.io, "
            "kind: " +
            kind + ", name: " + name + "}\nsubjects: [{kind: User, name: bob}]");
    }
    std::string failure(const Result<>& result) { return result.ok() ? "" : result.error().message; }
};

TEST_F(EscalationTest, UsersCannotGrantRulesTheyDoNotHold) {
    const auto refused = check_role_write(roles, kAnn, role(), nullptr);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(),
              (Error{Code::kForbidden,
                     "roles.rbac.authorization.k8s.io \"r\" is forbidden: user \"ann\" (groups=[\"dev\" "
                     "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
                     "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}",
                     {},
                     {"r", "rbac.authorization.k8s.io", "roles"}}));
    hold("[{verbs: [get, list, watch], apiGroups: [''], resources: [pods]}]");
    EXPECT_EQ(failure(check_role_write(roles, kAnn, role(), nullptr)), "");
    EXPECT_EQ(failure(check_role_write(roles, kRoot, role(), nullptr)), "");
}

TEST_F(EscalationTest, WhatIsHeldInANamespaceDoesNotMakeAClusterRole) {
    hold("[{verbs: ['*'], apiGroups: ['*'], resources: ['*']}]");
    EXPECT_THAT(failure(check_role_write(roles, kAnn, cluster_role(), nullptr)), HasSubstr("not currently held"));
    hold("[{verbs: ['*'], apiGroups: ['*'], resources: ['*']}]", true);
    EXPECT_EQ(failure(check_role_write(roles, kAnn, cluster_role(), nullptr)), "");
}

TEST_F(EscalationTest, TheVerbEscalateIsEnough) {
    hold("[{verbs: [escalate], apiGroups: [rbac.authorization.k8s.io], resources: [roles], resourceNames: [r]}]");
    const Role before = role("rules: []");
    EXPECT_EQ(failure(check_role_write(roles, kAnn, role(), &before)), "");
    // A create has no name to be allowed by.
    EXPECT_NE(failure(check_role_write(roles, kAnn, role(), nullptr)), "");
}

TEST_F(EscalationTest, OwnersAndFinalizersGiveNothingAway) {
    const Role before = role();
    Role now = before;
    now.metadata.finalizers = {"example.com/x"};
    now.metadata.owner_references.edit().emplace_back();
    EXPECT_EQ(failure(check_role_write(roles, kAnn, now, &before)), "");
    now.metadata.labels.set("a", "b");
    EXPECT_NE(failure(check_role_write(roles, kAnn, now, &before)), "");
}

TEST_F(EscalationTest, AnAggregationRuleCanGatherAnythingSoItTakesEverything) {
    const ClusterRole gathering = cluster_role("aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}");
    // All verbs but escalate, which would be enough.
    hold("[{verbs: [get, list, create, update, delete], apiGroups: ['*'], resources: ['*']}]", true);
    EXPECT_EQ(
        failure(check_role_write(roles, kAnn, gathering, nullptr)),
        "clusterroles.rbac.authorization.k8s.io \"r\" is forbidden: must have cluster-admin privileges to use the "
        "aggregationRule");
    // Nor may it be taken away.
    const ClusterRole plain = cluster_role("rules: []");
    EXPECT_NE(failure(check_role_write(roles, kAnn, plain, &gathering)), "");
    hold("[{verbs: ['*'], apiGroups: ['*'], resources: ['*']}, {verbs: ['*'], nonResourceURLs: ['*']}]", true);
    EXPECT_EQ(failure(check_role_write(roles, kAnn, gathering, nullptr)), "");
}

TEST_F(EscalationTest, ABindingTakesTheRolesRulesOrTheVerbBind) {
    store.put<ClusterRole>(std::string("metadata: {name: reader}\n") + kPodReader);
    EXPECT_THAT(failure(check_binding_write(roles, kAnn, binding("ClusterRole", "reader"), nullptr)),
                HasSubstr("rolebindings.rbac.authorization.k8s.io \"rb\" is forbidden: user \"ann\""));
    hold(
        "[{verbs: [bind], apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], resourceNames: "
        "[reader]}]");
    EXPECT_EQ(failure(check_binding_write(roles, kAnn, binding("ClusterRole", "reader"), nullptr)), "");
    // In that namespace, that is.
    const auto everywhere = parsed<ClusterRoleBinding>(
        "metadata: {name: rb}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}");
    EXPECT_NE(failure(check_binding_write(roles, kAnn, everywhere, nullptr)), "");
    EXPECT_EQ(failure(check_binding_write(roles, kRoot, everywhere, nullptr)), "");
    hold("[{verbs: [get, list], apiGroups: [''], resources: [pods]}]");
    EXPECT_EQ(failure(check_binding_write(roles, kAnn, binding("ClusterRole", "reader"), nullptr)), "");
}

TEST_F(EscalationTest, ARoleThatIsNotThereCanBeBoundOnlyByWhoMayBindIt) {
    const auto missing = check_binding_write(roles, kAnn, binding("Role", "gone"), nullptr);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error(), (Error{Code::kNotFound, "roles.rbac.authorization.k8s.io \"gone\" not found"}));
    hold("[{verbs: [bind], apiGroups: [rbac.authorization.k8s.io], resources: [roles]}]");
    EXPECT_EQ(failure(check_binding_write(roles, kAnn, binding("Role", "gone"), nullptr)), "");
}

}  // namespace escalation_test
}  // namespace muster::server
