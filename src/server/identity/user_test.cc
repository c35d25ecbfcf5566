#include "server/identity/user.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace user_test {

TEST(User, AServiceAccountsNameComesApartAsItWasPutTogether) {
    const std::string name = service_account_user_name("batch", "runner");
    EXPECT_EQ(name, "system:serviceaccount:batch:runner");
    EXPECT_EQ(parse_service_account_user_name(name), (ServiceAccountName{"batch", "runner"}));
}

TEST(User, WhatOnlyLooksLikeAServiceAccountIsNone) {
    for (const char* name : {"ann", "system:serviceaccount:", "system:serviceaccount:a",
                             "system:serviceaccount:a:", "system:serviceaccount::b", "system:serviceaccount:a:b:c",
                             "system:serviceaccount:A:b", "system:serviceaccount:a:b/c", "system:serviceaccount:a.b:c"})
        EXPECT_FALSE(parse_service_account_user_name(name)) << name;
}

TEST(User, TheAuthenticatedGroupIsAddedUnlessTheGroupsSpeakOfIt) {
    User plain{.name = "ann", .groups = {"dev"}};
    add_authenticated_group(plain);
    EXPECT_EQ(plain.groups, (std::vector<std::string>{"dev", "system:authenticated"}));
    add_authenticated_group(plain);
    EXPECT_EQ(plain.groups.size(), 2u);
    User marked{.name = "ann", .groups = {"system:unauthenticated"}};
    add_authenticated_group(marked);
    EXPECT_EQ(marked.groups.size(), 1u);
    User anonymous = anonymous_user();
    add_authenticated_group(anonymous);
    EXPECT_EQ(anonymous.groups, (std::vector<std::string>{"system:unauthenticated"}));
}

}  // namespace user_test
}  // namespace muster::server
