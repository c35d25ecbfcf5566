#include "server/access/rbac/recent_rights.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace recent_rights_test {

User user_with(std::string name, std::vector<std::string> groups = {}, std::string credential = {}) {
    User user{.name = std::move(name), .groups = std::move(groups)};
    if (!credential.empty()) user.extra[std::string(kCredentialIdKey)] = {std::move(credential)};
    return user;
}

TEST(RecentRights, AreOfOneUserOneVerbAndOnePlace) {
    const Attributes create{.verb = "create", .resource = "pods", .namespace_ = "a"};
    RecentRights rights(7);
    const User ann = user_with("ann", {"dev"}, "JTI=1");
    rights.remember(ann, create);
    EXPECT_TRUE(rights.held(ann, create));
    const struct {
        const char* name;
        User user;
        Attributes attributes;
    } others[] = {
        {"another user", user_with("bob", {"dev"}, "JTI=1"), create},
        {"another group", user_with("ann", {"ops"}, "JTI=1"), create},
        {"another token", user_with("ann", {"dev"}, "JTI=2"), create},
        {"another verb", ann, {.verb = "update", .resource = "pods", .namespace_ = "a"}},
        {"another resource", ann, {.verb = "create", .resource = "jobs", .namespace_ = "a"}},
        {"another group of resources", ann, {.verb = "create", .group = "x", .resource = "pods", .namespace_ = "a"}},
        {"a subresource", ann, {.verb = "create", .resource = "pods", .subresource = "exec", .namespace_ = "a"}},
        {"another namespace", ann, {.verb = "create", .resource = "pods", .namespace_ = "b"}},
    };
    for (const auto& other : others) EXPECT_FALSE(rights.held(other.user, other.attributes)) << other.name;
    rights.forget();
    EXPECT_FALSE(rights.held(ann, create));
}

}  // namespace recent_rights_test
}  // namespace muster::server
