#include "server/identity/service_account_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "server/identity/certificate_authority.h"
#include "server/testing/bound_objects.h"

namespace muster::server {
namespace service_account_tokens_test {

using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);
constexpr const char* kIssuer = "https://issuer";

TokenClaims sample() {
    TokenClaims claims{.issuer = kIssuer, .id = "id-1", .audiences = {kIssuer}};
    claims.issued_at = claims.not_before = kNow.unix_seconds();
    claims.expires_at = claims.issued_at + 3600;
    claims.namespace_ = "batch";
    claims.service_account = {"runner", "sa-uid"};
    return claims;
}

struct ServiceAccountTokensTest : testing::Test {
    const std::string key = make_signing_key();
    const TokenSigner signer = TokenSigner::from_pem(key).value();
    const TokenVerifier verifier{TokenKeys::from_pem(key).value(), {kIssuer}, {kIssuer}};
    FakeBoundObjects objects;

    std::string token_of(const TokenClaims& claims) { return signer.sign(format_claims(claims)).value(); }
    std::string failure(const TokenClaims& claims, Instant now = kNow, std::vector<std::string> audiences = {}) {
        const auto result = verifier.verify(token_of(claims), audiences, now);
        if (result.ok()) return "";
        EXPECT_EQ(result.error().code, Code::kUnauthorized);
        return result.error().message;
    }
    std::string bound_failure(const TokenClaims& claims) {
        const auto result = check_bound_objects(claims, objects, kNow);
        return result.ok() ? "" : result.error().message;
    }
};

TEST_F(ServiceAccountTokensTest, ClaimsHaveKubernetesForm) {
    TokenClaims claims = sample();
    claims.pod = {"p", "pod-uid"};
    claims.node = {"n", "node-uid"};
    claims.warn_after = claims.issued_at + 3607;
    EXPECT_EQ(format_claims(claims),
              R"({"aud":["https://issuer"],"exp":1700003600,"iat":1700000000,"iss":"https://issuer","jti":"id-1",)"
              R"("kubernetes.io":{"namespace":"batch","node":{"name":"n","uid":"node-uid"},)"
              R"("pod":{"name":"p","uid":"pod-uid"},"serviceaccount":{"name":"runner","uid":"sa-uid"},)"
              R"("warnafter":1700003607},"nbf":1700000000,"sub":"system:serviceaccount:batch:runner"})");
    EXPECT_EQ(parse_claims(format_claims(claims)).value(), claims);
}

TEST_F(ServiceAccountTokensTest, ClaimsThatAreNotOfTheRightTypeAreRefused) {
    for (const char* json : {"", "[]", "{", R"({"exp":"soon"})", R"({"exp":-1})", R"({"exp":1e300})", R"({"aud":5})",
                             R"({"aud":[5]})", R"({"iss":{}})", R"({"kubernetes.io":[]})",
                             R"({"kubernetes.io":{"pod":"p"}})", R"({"kubernetes.io":{"serviceaccount":{"name":1}}})"})
        EXPECT_FALSE(parse_claims(json).ok()) << json;
    EXPECT_EQ(parse_claims(R"({"aud":"one","exp":12.7})")->audiences, std::vector<std::string>{"one"});
    EXPECT_EQ(parse_claims(R"({"exp":12.7})")->expires_at, 12);
}

TEST_F(ServiceAccountTokensTest, TheHolderIsTheServiceAccountWithWhatTheTokenKnows) {
    TokenClaims claims = sample();
    claims.pod = {"p", "pod-uid"};
    claims.node = {"n", ""};
    const User user = user_of(claims);
    EXPECT_EQ(user.name, "system:serviceaccount:batch:runner");
    EXPECT_EQ(user.uid, "sa-uid");
    EXPECT_EQ(user.groups, (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:batch",
                                                     "system:authenticated"}));
    EXPECT_EQ(user.extra, (User::Extra{{"authentication.kubernetes.io/pod-name", {"p"}},
                                       {"authentication.kubernetes.io/pod-uid", {"pod-uid"}},
                                       {"authentication.kubernetes.io/credential-id", {"JTI=id-1"}},
                                       {"authentication.kubernetes.io/node-name", {"n"}}}));
}

TEST_F(ServiceAccountTokensTest, ATokenHoldsForItsTimeAndAMinuteMore) {
    struct Case {
        const char* name;
        Duration at;
        const char* message;
    };
    const Case cases[] = {{"at once", 0s, ""},
                          {"just before its time, within the leeway", -60s, ""},
                          {"before its time", -61s, "service account token is not valid yet"},
                          {"at its end", 3600s, ""},
                          {"a minute after its end", 3660s, ""},
                          {"later", 3661s, "service account token has expired"}};
    for (const Case& c : cases) EXPECT_EQ(failure(sample(), kNow + c.at), c.message) << c.name;
    TokenClaims future = sample();
    future.not_before = 0;
    EXPECT_EQ(failure(future, kNow - 61s), "service account token is issued in the future");
}

TEST_F(ServiceAccountTokensTest, ATokenIsValidOnlyForItsAudiences) {
    TokenClaims vault = sample();
    vault.audiences = {"vault"};
    EXPECT_EQ(failure(vault), R"(token audiences ["vault"] is invalid for the target audiences ["https://issuer"])");
    EXPECT_EQ(failure(vault, kNow, {"vault"}), "");
    EXPECT_EQ(failure(sample(), kNow, {"vault"}),
              R"(token audiences ["https://issuer"] is invalid for the target audiences ["vault"])");
    TokenClaims without = sample();
    without.audiences = {};
    EXPECT_EQ(failure(without), "");
    EXPECT_NE(failure(without, kNow, {"vault"}), "");
}

TEST_F(ServiceAccountTokensTest, AnotherIssuersTokenIsNotOurs) {
    TokenClaims foreign = sample();
    foreign.issuer = "https://other";
    EXPECT_FALSE(verifier.is_ours(token_of(foreign)));
    EXPECT_TRUE(verifier.is_ours(token_of(sample())));
    EXPECT_FALSE(verifier.is_ours("no-token"));
    EXPECT_EQ(failure(foreign), R"(token issuer "https://other" is invalid)");
}

TEST_F(ServiceAccountTokensTest, WhatAThreadRemembersIsNotBelievedAfterTheKeysChange) {
    const std::string token = token_of(sample());
    EXPECT_TRUE(verifier.verify(token, {}, kNow).ok());
    EXPECT_TRUE(verifier.verify(token, {}, kNow).ok());
    EXPECT_FALSE(verifier.verify(token, {}, kNow + 2h).ok());
    const TokenVerifier other(TokenKeys::from_pem(make_signing_key()).value(), {kIssuer}, {kIssuer});
    EXPECT_FALSE(other.verify(token, {}, kNow).ok());
}

TEST_F(ServiceAccountTokensTest, ManyThreadsVerifyAtOnce) {
    const std::string token = token_of(sample());
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 50; ++n) good += verifier.verify(token, {}, kNow).ok();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 200);
}

TEST_F(ServiceAccountTokensTest, ATokenEndsWithItsServiceAccount) {
    EXPECT_EQ(bound_failure(sample()), R"(serviceaccounts "runner" not found)");
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "sa-uid"});
    EXPECT_EQ(bound_failure(sample()), "");
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "sa-uid", .deleted_at = kNow - 60s});
    EXPECT_EQ(bound_failure(sample()), "");
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "sa-uid", .deleted_at = kNow - 61s});
    EXPECT_EQ(bound_failure(sample()), "service account batch/runner has been deleted");
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "new"});
    EXPECT_EQ(bound_failure(sample()), "service account UID (new) does not match claim (sa-uid)");
}

TEST_F(ServiceAccountTokensTest, ATokenEndsWithTheObjectItIsBoundTo) {
    struct Case {
        BoundKind kind;
        const char* word;
        const char* namespace_;
        std::optional<ObjectClaim> TokenClaims::*claim;
    };
    const Case cases[] = {{BoundKind::kPod, "pod", "batch", &TokenClaims::pod},
                          {BoundKind::kSecret, "secret", "batch", &TokenClaims::secret},
                          {BoundKind::kNode, "node", "", &TokenClaims::node}};
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "sa-uid"});
    for (const Case& c : cases) {
        SCOPED_TRACE(c.word);
        TokenClaims claims = sample();
        claims.*c.claim = ObjectClaim{"x", "x-uid"};
        EXPECT_EQ(bound_failure(claims), "service account token has been invalidated");
        objects.put(c.kind, c.namespace_, "x", {.uid = "x-uid"});
        EXPECT_EQ(bound_failure(claims), "");
        objects.put(c.kind, c.namespace_, "x", {.uid = "x-uid", .deleted_at = kNow - 61s});
        EXPECT_EQ(bound_failure(claims), "service account token has been invalidated");
        objects.put(c.kind, c.namespace_, "x", {.uid = "other"});
        EXPECT_THAT(bound_failure(claims), HasSubstr(std::string(c.word) + " UID (other) does not match"));
        objects.put(c.kind, c.namespace_, "x", {.uid = "x-uid"});
    }
}

TEST_F(ServiceAccountTokensTest, APodsTokenOutlivesTheNodeItNames) {
    TokenClaims claims = sample();
    claims.pod = {"p", "p-uid"};
    claims.node = {"gone", "gone-uid"};
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "sa-uid"});
    objects.put(BoundKind::kPod, "batch", "p", {.uid = "p-uid"});
    EXPECT_EQ(bound_failure(claims), "");
}

}  // namespace service_account_tokens_test
}  // namespace muster::server
