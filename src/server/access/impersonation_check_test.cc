#include "server/access/impersonation_check.h"

#include <gtest/gtest.h>

#include "server/access/rbac/role_index.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace impersonation_check_test {

TEST(ImpersonationCheck, EachDemandNeedsTheVerbOnItsOwnResource) {
    KindStore store;
    const RoleIndex roles(*store);
    const User ann{.name = "ann"};
    os::HttpRequest request;
    request.headers = {{"impersonate-user", "bob"}, {"impersonate-group", "dev"}, {"impersonate-extra-team", "x"}};
    const Impersonation as = read_impersonation(request)->value();
    const auto failure = [&] {
        const auto result = check_impersonation(roles, ann, as);
        return result.ok() ? std::string() : result.error().message;
    };
    const auto hold = [&](const std::string& rules) {
        store.put<api::rbac::ClusterRole>("metadata: {name: r}\nrules: " + rules);
    };
    store.put<api::rbac::ClusterRoleBinding>(
        "metadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\n"
        "subjects: [{kind: User, name: ann}]");
    hold("[]");
    EXPECT_EQ(failure(),
              "users \"bob\" is forbidden: User \"ann\" cannot impersonate resource \"users\" in API group \"\" at the "
              "cluster scope");
    hold("[{verbs: [impersonate], apiGroups: [''], resources: [users]}]");
    EXPECT_EQ(failure(),
              "groups \"dev\" is forbidden: User \"ann\" cannot impersonate resource \"groups\" in API group \"\" at "
              "the cluster scope");
    hold("[{verbs: [impersonate], apiGroups: [''], resources: [users, groups]}]");
    EXPECT_EQ(failure(),
              "userextras.authentication.k8s.io \"x\" is forbidden: User \"ann\" cannot impersonate resource "
              "\"userextras/team\" in API group \"authentication.k8s.io\" at the cluster scope");
    hold(
        "[{verbs: [impersonate], apiGroups: [''], resources: [users, groups]}, {verbs: [impersonate], apiGroups: "
        "[authentication.k8s.io], resources: [userextras/team], resourceNames: [x]}]");
    EXPECT_EQ(failure(), "");
}

}  // namespace impersonation_check_test
}  // namespace muster::server
