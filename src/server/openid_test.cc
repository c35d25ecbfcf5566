#include "server/openid.h"

#include <gtest/gtest.h>

#include "server/identity/certificate_authority.h"

namespace muster::server {
namespace openid_test {

TEST(Openid, TellsWhoMakesTokensAndWhereTheKeysAre) {
    const std::string key = make_signing_key();
    const TokenVerifier verifier(TokenKeys::from_pem(key).value(), {"https://issuer", "https://earlier"}, {"us"});
    const auto answer_to = [&](const char* target) {
        return answer_openid(&verifier, parse_target(target).value(), "here:1");
    };
    const auto about = answer_to("/.well-known/openid-configuration");
    ASSERT_TRUE(about);
    EXPECT_EQ(about->code, 200);
    EXPECT_EQ(about->content_type, "application/json");
    EXPECT_EQ(std::get<std::string>(about->body),
              R"({"issuer":"https://issuer","jwks_uri":"https://here:1/openid/v1/jwks",)"
              R"("response_types_supported":["id_token"],"subject_types_supported":["public"],)"
              R"("id_token_signing_alg_values_supported":["ES256"]})");
    ASSERT_EQ(about->headers.size(), 1u);
    EXPECT_EQ(about->headers[0].value, "public, max-age=3600");
    const auto keys = answer_to("/openid/v1/jwks/");
    ASSERT_TRUE(keys);
    EXPECT_EQ(keys->content_type, "application/jwk-set+json");
    EXPECT_EQ(std::get<std::string>(keys->body), TokenKeys::from_pem(key)->public_key_set());
    EXPECT_FALSE(answer_to("/openid/v1"));
    EXPECT_FALSE(answer_to("/.well-known"));
    EXPECT_FALSE(answer_openid(nullptr, parse_target("/openid/v1/jwks").value(), "here:1"));
}

}  // namespace openid_test
}  // namespace muster::server
