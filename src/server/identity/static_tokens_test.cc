#include "server/identity/static_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::server {
namespace static_tokens_test {

using testing::HasSubstr;
using testing::Not;

TEST(StaticTokens, EachLineIsOneUser) {
    const StaticTokens tokens = StaticTokens::parse(
                                    "secret1,ann,1,\"dev,ops\"\r\n"
                                    "\n"
                                    "secret2,bob,2\n"
                                    "\"se\"\"cret,3\",\"carl\",,dev")
                                    .value();
    EXPECT_EQ(tokens.size(), 3u);
    EXPECT_EQ(*tokens.find("secret1"), (User{.name = "ann", .uid = "1", .groups = {"dev", "ops"}}));
    EXPECT_EQ(*tokens.find("secret2"), (User{.name = "bob", .uid = "2"}));
    EXPECT_EQ(*tokens.find("se\"cret,3"), (User{.name = "carl", .groups = {"dev"}}));
    EXPECT_EQ(tokens.find("secret"), nullptr);
    EXPECT_EQ(tokens.find(""), nullptr);
}

TEST(StaticTokens, AWrongLineIsNamedWithoutItsToken) {
    struct Case {
        const char* name;
        const char* text;
        const char* message;
    };
    const Case cases[] = {
        {"two columns", "secret1,a,1\nsecret2,bob\n", "line 2: must have 3 or 4 columns"},
        {"five columns", "secret1,a,1,g,h", "line 1: must have 3 or 4 columns"},
        {"an empty token", "\n\n,ann,1", "line 3: the token is empty"},
        {"an empty user", "secret1,,1", "line 1: the user name is empty"},
        {"the same token twice", "secret1,a,1\nsecret1,b,2", "line 2: the same token stands on an earlier line"},
        {"an open quote", "secret1,a,1\nsecret2,b,2,\"dev\n", "line 2: a quote that is never closed"},
        {"text behind a quote", "secret1,a,1,\"dev\"x", "line 1: text after a closing quote"},
        {"a quote within", "sec\"ret,a,1", "line 1: a quote inside a field"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const auto result = StaticTokens::parse(c.text);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, Code::kInvalid);
        EXPECT_THAT(result.error().message, HasSubstr(c.message));
        EXPECT_THAT(result.error().message, Not(HasSubstr("secret")));
    }
}

}  // namespace static_tokens_test
}  // namespace muster::server
