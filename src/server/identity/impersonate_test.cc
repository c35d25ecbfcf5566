#include "server/identity/impersonate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::server {
namespace impersonate_test {

using testing::ElementsAre;
using testing::HasSubstr;

os::HttpRequest with(std::vector<os::HttpHeader> headers) {
    os::HttpRequest request;
    request.headers = std::move(headers);
    return request;
}
Impersonation read(std::vector<os::HttpHeader> headers) {
    return read_impersonation(with(std::move(headers)))->value();
}

TEST(Impersonate, WithoutHeadersThereIsNoImpersonation) {
    EXPECT_FALSE(read_impersonation(with({{"accept", "x"}}))->has_value());
    EXPECT_FALSE(read_impersonation(with({{"impersonate-user", ""}}))->has_value());
}

TEST(Impersonate, AUserTakesTheRightToBeThatUser) {
    const Impersonation as = read({{"impersonate-user", "bob"}});
    EXPECT_THAT(as.demands, ElementsAre(ImpersonationDemand{.version = "v1", .resource = "users", .name = "bob"}));
    EXPECT_EQ(as.user, (User{.name = "bob", .groups = {"system:authenticated"}}));
}

TEST(Impersonate, EverythingThatIsAskedForMustBeAllowed) {
    const Impersonation as = read({{"impersonate-user", "bob"},
                                   {"impersonate-group", "dev"},
                                   {"impersonate-group", "ops"},
                                   {"impersonate-extra-acme.com%2fproject", "x"},
                                   {"impersonate-extra-bad%zz", "y"},
                                   {"impersonate-uid", "42"}});
    const std::string group = "authentication.k8s.io";
    EXPECT_THAT(
        as.demands,
        ElementsAre(
            ImpersonationDemand{.version = "v1", .resource = "users", .name = "bob"},
            ImpersonationDemand{.version = "v1", .resource = "groups", .name = "dev"},
            ImpersonationDemand{.version = "v1", .resource = "groups", .name = "ops"},
            ImpersonationDemand{.group = group,
                                .version = "v1",
                                .resource = "userextras",
                                .subresource = "acme.com/project",
                                .name = "x"},
            ImpersonationDemand{
                .group = group, .version = "v1", .resource = "userextras", .subresource = "bad%zz", .name = "y"},
            ImpersonationDemand{.group = group, .version = "v1", .resource = "uids", .name = "42"}));
    EXPECT_EQ(as.user, (User{.name = "bob",
                             .uid = "42",
                             .groups = {"dev", "ops", "system:authenticated"},
                             .extra = {{"acme.com/project", {"x"}}, {"bad%zz", {"y"}}}}));
}

TEST(Impersonate, AServiceAccountComesWithItsGroupsUnlessGroupsAreNamed) {
    const std::string name = "system:serviceaccount:batch:runner";
    const Impersonation as = read({{"impersonate-user", name}});
    EXPECT_THAT(as.demands,
                ElementsAre(ImpersonationDemand{
                    .version = "v1", .resource = "serviceaccounts", .namespace_ = "batch", .name = "runner"}));
    EXPECT_THAT(as.user.groups,
                ElementsAre("system:serviceaccounts", "system:serviceaccounts:batch", "system:authenticated"));
    EXPECT_THAT(read({{"impersonate-user", name}, {"impersonate-group", "dev"}}).user.groups,
                ElementsAre("dev", "system:authenticated"));
}

TEST(Impersonate, GroupsThatSayWhetherOneIsAuthenticatedStand) {
    EXPECT_THAT(read({{"impersonate-user", "bob"}, {"impersonate-group", "system:unauthenticated"}}).user.groups,
                ElementsAre("system:unauthenticated"));
    EXPECT_THAT(read({{"impersonate-user", "system:anonymous"}}).user.groups, ElementsAre("system:unauthenticated"));
}

TEST(Impersonate, GroupsWithoutAUserAreRefused) {
    for (const char* header : {"impersonate-group", "impersonate-uid", "impersonate-extra-a"}) {
        const auto result = read_impersonation(with({{header, "dev"}}));
        ASSERT_FALSE(result.ok()) << header;
        EXPECT_EQ(result.error().code, Code::kBadRequest);
        EXPECT_THAT(result.error().message, HasSubstr("without impersonating a user"));
    }
}

}  // namespace impersonate_test
}  // namespace muster::server
