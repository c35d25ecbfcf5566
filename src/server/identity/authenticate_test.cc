#include "server/identity/authenticate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/identity/certificate_authority.h"
#include "server/testing/bound_objects.h"

namespace muster::server {
namespace authenticate_test {

using testing::ElementsAre;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);

struct AuthenticateTest : testing::Test {
    const std::string key = make_signing_key();
    const std::shared_ptr<const StaticTokens> tokens =
        std::make_shared<StaticTokens>(StaticTokens::parse("t1,ann,7,\"dev,ops\"").value());
    const std::shared_ptr<const TokenVerifier> verifier = std::make_shared<TokenVerifier>(
        TokenKeys::from_pem(key).value(), std::vector<std::string>{"iss"}, std::vector<std::string>{"iss"});
    const Authenticator authenticator{tokens, verifier};

    static os::HttpRequest with_header(const std::string& value) {
        os::HttpRequest request;
        request.headers.push_back({"authorization", value});
        return request;
    }
    std::string account_token() {
        TokenClaims claims{.issuer = "iss", .audiences = {"iss", "vault"}};
        claims.expires_at = kNow.unix_seconds() + 60;
        claims.namespace_ = "batch";
        claims.service_account = {"runner", "uid"};
        return TokenSigner::from_pem(key)->sign(format_claims(claims)).value();
    }
    std::string name_of(const os::HttpRequest& request) {
        const auto result = authenticator.authenticate(request, kNow);
        if (result.ok()) return result->user.name;
        EXPECT_EQ(result.error(), (Error{Code::kUnauthorized, "Unauthorized"}));
        return "401";
    }
};

TEST_F(AuthenticateTest, ACertificateSaysWhoItIs) {
    os::HttpRequest request = with_header("Bearer wrong");
    request.certificate = os::PeerCertificate{"bob", {"dev"}};
    const User user = authenticator.authenticate(request, kNow)->user;
    EXPECT_EQ(user, (User{.name = "bob", .groups = {"dev", "system:authenticated"}}));
    request.certificate->fingerprint = "0a1b";
    EXPECT_EQ(authenticator.authenticate(request, kNow)->user.extra,
              (User::Extra{{"authentication.kubernetes.io/credential-id", {"X509SHA256=0a1b"}}}));
    // One without a name says nothing.
    request.certificate->common_name = "";
    EXPECT_EQ(name_of(request), "401");
}

TEST_F(AuthenticateTest, ACertificateThatDoesNotCountIsNotAnonymousAndATokenBesideItCounts) {
    os::HttpRequest request;
    request.certificate_error = "verifying the certificate of \"bob\" failed: certificate has expired";
    EXPECT_EQ(name_of(request), "401");
    request.headers.push_back({"authorization", "Bearer t1"});
    EXPECT_EQ(name_of(request), "ann");
}

TEST_F(AuthenticateTest, HeadersAreReadAsKubernetesReadsThem) {
    struct Case {
        const char* name;
        std::string header;
        std::string user;
    };
    const Case cases[] = {{"a token of the file", "Bearer t1", "ann"},
                          {"in other letters", "bEaReR t1", "ann"},
                          {"with space around", "  Bearer t1  ", "ann"},
                          {"with something behind", "Bearer t1 more", "ann"},
                          {"a service account's", "Bearer " + account_token(), "system:serviceaccount:batch:runner"},
                          {"a wrong token is not anonymous", "Bearer t2", "401"},
                          {"a forged token", "Bearer " + account_token() + "x", "401"},
                          {"a space too many", "Bearer  t1", "system:anonymous"},
                          {"no token", "Bearer", "system:anonymous"},
                          {"another scheme", "Basic dDE6dDE=", "system:anonymous"},
                          {"nothing", "", "system:anonymous"}};
    for (const Case& c : cases) EXPECT_EQ(name_of(with_header(c.header)), c.user) << c.name;
    EXPECT_NE(authenticator.authenticate(with_header("Bearer  t1"), kNow)->warning, "");
    EXPECT_EQ(authenticator.authenticate(with_header("Bearer t1"), kNow)->warning, "");
}

TEST_F(AuthenticateTest, AnonymousIsInOneGroupOrNotLetIn) {
    EXPECT_EQ(authenticator.authenticate({}, kNow)->user, anonymous_user());
    EXPECT_FALSE(Authenticator(tokens, verifier, false).authenticate({}, kNow).ok());
}

TEST_F(AuthenticateTest, AServiceAccountsTokenIsCheckedAgainstItsObjectsOnTheLoop) {
    const Authentication known = authenticator.authenticate(with_header("Bearer " + account_token()), kNow).value();
    ASSERT_TRUE(known.claims);
    FakeBoundObjects objects;
    EXPECT_FALSE(check_authentication(known, objects, kNow).ok());
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "uid"});
    EXPECT_TRUE(check_authentication(known, objects, kNow).ok());
    EXPECT_TRUE(check_authentication(authenticator.authenticate({}, kNow).value(), objects, kNow).ok());
}

TEST_F(AuthenticateTest, AudiencesAskedForMustBeMet) {
    const std::vector<std::string> vault{"vault", "x"};
    EXPECT_THAT(authenticator.authenticate_token(account_token(), vault, kNow)->audiences, ElementsAre("vault"));
    EXPECT_THAT(authenticator.authenticate_token(account_token(), {}, kNow)->audiences, ElementsAre("iss"));
    EXPECT_THAT(authenticator.authenticate_token("t1", {}, kNow)->audiences, ElementsAre("iss"));
    EXPECT_EQ(authenticator.authenticate_token("t1", vault, kNow).error().message, "invalid bearer token");
    EXPECT_EQ(authenticator.authenticate_token(account_token(), {}, kNow + 1h).error().message,
              "service account token has expired");
    EXPECT_EQ(authenticator.authenticate_token("nonsense", {}, kNow).error().message, "invalid bearer token");
    EXPECT_FALSE(Authenticator(nullptr, nullptr).authenticate_token("t1", {}, kNow).ok());
}

}  // namespace authenticate_test
}  // namespace muster::server
