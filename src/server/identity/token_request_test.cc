#include "server/identity/token_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "server/identity/certificate_authority.h"
#include "server/testing/bound_objects.h"

namespace muster::server {
namespace token_request_test {

using api::authentication::TokenRequest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);

struct TokenRequestTest : testing::Test {
    const std::string key = make_signing_key();
    const TokenSigner signer = TokenSigner::from_pem(key).value();
    TokenIssuerOptions options{.issuer = "iss", .audiences = {"iss"}};
    FakeBoundObjects objects;

    TokenRequestTest() {
        objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "sa-uid"});
        objects.put(BoundKind::kPod, "batch", "p", {.uid = "p-uid", .service_account = "runner", .node_name = "n1"});
        objects.put(BoundKind::kPod, "batch", "strange", {.uid = "s-uid", .service_account = "other"});
        objects.put(BoundKind::kNode, "", "n1", {.uid = "n-uid"});
        objects.put(BoundKind::kSecret, "batch", "s", {.uid = "secret-uid"});
    }
    Result<TokenAnswer> ask(std::string_view yaml, std::string_view name = "runner") {
        return answer_token_request(api::from_yaml<TokenRequest>(yaml).value(), "batch", name, objects, signer, options,
                                    kNow);
    }
    TokenClaims claims_of(const TokenAnswer& answer) {
        return parse_claims(TokenKeys::from_pem(key)->verify(answer.request.status.token).value()).value();
    }
};

TEST_F(TokenRequestTest, AttestationsAreOnlyForTokensOfWebhooks) {
    const Result<TokenAnswer> answer = ask("spec: {attestations: {admissionReviewAPIGroups: [batch]}}");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kInvalid);
    ASSERT_EQ(answer.error().causes.size(), 1u);
    EXPECT_EQ(answer.error().causes[0].field, "spec.attestations");
    EXPECT_THAT(answer.error().causes[0].message, HasSubstr("only be specified with a webhook bound object reference"));
}

TEST_F(TokenRequestTest, AnEmptyRequestGetsAnHourForTheServer) {
    const TokenAnswer answer = ask("spec: {}").value();
    EXPECT_EQ(answer.request.metadata.name, "runner");
    EXPECT_EQ(answer.request.metadata.namespace_, "batch");
    EXPECT_EQ(answer.request.metadata.uid, "sa-uid");
    EXPECT_THAT(answer.request.spec.audiences, ElementsAre("iss"));
    EXPECT_EQ(answer.request.spec.expiration_seconds, 3600);
    EXPECT_EQ(answer.request.status.expiration_timestamp.unix_seconds(), kNow.unix_seconds() + 3600);
    EXPECT_THAT(answer.warnings, IsEmpty());
    const TokenClaims claims = claims_of(answer);
    EXPECT_EQ(claims.issuer, "iss");
    EXPECT_EQ(claims.expires_at, kNow.unix_seconds() + 3600);
    EXPECT_EQ(claims.issued_at, kNow.unix_seconds());
    EXPECT_EQ(claims.not_before, kNow.unix_seconds());
    EXPECT_EQ(claims.id.size(), 36u);
    EXPECT_EQ(claims.service_account, (ObjectClaim{"runner", "sa-uid"}));
    EXPECT_FALSE(claims.pod || claims.secret || claims.node);
}

TEST_F(TokenRequestTest, ATokenIsBoundToWhatItWasAskedFor) {
    const auto bound = [&](const char* kind, const char* name) {
        return claims_of(ask(std::string("spec: {audiences: [a], boundObjectRef: {kind: ") + kind +
                             ", apiVersion: v1, name: " + name + "}}")
                             .value());
    };
    const TokenClaims pod = bound("Pod", "p");
    EXPECT_EQ(pod.pod, (ObjectClaim{"p", "p-uid"}));
    EXPECT_EQ(pod.node, (ObjectClaim{"n1", "n-uid"}));
    EXPECT_EQ(bound("Secret", "s").secret, (ObjectClaim{"s", "secret-uid"}));
    EXPECT_EQ(bound("Node", "n1").node, (ObjectClaim{"n1", "n-uid"}));
}

TEST_F(TokenRequestTest, WhatCannotBeGrantedIsRefusedWithItsReason) {
    struct Case {
        const char* name;
        const char* yaml;
        Code code;
        const char* message;
    };
    const Case cases[] = {
        {"too short", "spec: {expirationSeconds: 599}", Code::kInvalid,
         "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 599: may not "
         "specify a duration less than 10 minutes"},
        {"too long", "spec: {expirationSeconds: 4294967297}", Code::kInvalid,
         "may not specify a duration larger than 2^32 seconds"},
        {"another account's name", "metadata: {name: x}", Code::kInvalid,
         "metadata.name: Invalid value: \"x\": must match the service account name if specified"},
        {"another namespace", "metadata: {namespace: x}", Code::kInvalid,
         "must match the service account namespace if specified"},
        {"another uid", "metadata: {uid: x}", Code::kConflict,
         "the UID in the token request (x) does not match the UID of the service account (sa-uid)"},
        {"a kind that tokens are not bound to", "spec: {boundObjectRef: {kind: ConfigMap, apiVersion: v1, name: c}}",
         Code::kBadRequest, "cannot bind token to object of type v1, Kind=ConfigMap"},
        {"a Pod of another group", "spec: {boundObjectRef: {kind: Pod, apiVersion: x/v1, name: p}}", Code::kBadRequest,
         "cannot bind token to object of type x/v1, Kind=Pod"},
        {"a pod that is not there", "spec: {boundObjectRef: {kind: Pod, apiVersion: v1, name: q}}", Code::kNotFound,
         "pods \"q\" not found"},
        {"a pod of another account", "spec: {boundObjectRef: {kind: Pod, apiVersion: v1, name: strange}}",
         Code::kBadRequest,
         "cannot bind token for serviceaccount \"runner\" to pod running with different serviceaccount name."},
        {"a pod of another uid", "spec: {boundObjectRef: {kind: Pod, apiVersion: v1, name: p, uid: old}}",
         Code::kConflict,
         "Operation cannot be fulfilled on Pod \"p\": the UID in the bound object reference (old) does not match"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const auto result = ask(c.yaml);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().code, c.code);
        EXPECT_THAT(result.error().message, HasSubstr(c.message));
    }
    const auto missing = ask("spec: {}", "missing");
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error(), (Error{Code::kNotFound, "serviceaccounts \"missing\" not found"}));
}

TEST_F(TokenRequestTest, TheServersLimitShortensWithAWarning) {
    options.expiration_seconds_max = 7200;
    const TokenAnswer answer = ask("spec: {expirationSeconds: 86400}").value();
    EXPECT_EQ(answer.request.spec.expiration_seconds, 7200);
    EXPECT_EQ(claims_of(answer).expires_at, kNow.unix_seconds() + 7200);
    EXPECT_THAT(answer.warnings, ElementsAre("requested expiration of 86400 seconds shortened to 7200 seconds"));
}

TEST_F(TokenRequestTest, ThePodsUsualTokenLivesAYear) {
    const std::string bound = "boundObjectRef: {kind: Pod, apiVersion: v1, name: p}";
    const TokenAnswer usual = ask("spec: {expirationSeconds: 3607, " + bound + "}").value();
    EXPECT_EQ(claims_of(usual).expires_at, kNow.unix_seconds() + 365 * 86400);
    EXPECT_EQ(claims_of(usual).warn_after, kNow.unix_seconds() + 3607);
    EXPECT_EQ(usual.request.status.expiration_timestamp.unix_seconds(), kNow.unix_seconds() + 3607);
    // Not for another audience, another time, or when nothing ends it.
    EXPECT_EQ(claims_of(ask("spec: {audiences: [vault], expirationSeconds: 3607, " + bound + "}").value()).warn_after,
              0);
    EXPECT_EQ(claims_of(ask("spec: {expirationSeconds: 3608, " + bound + "}").value()).warn_after, 0);
    EXPECT_EQ(claims_of(ask("spec: {expirationSeconds: 3607}").value()).warn_after, 0);
}

}  // namespace token_request_test
}  // namespace muster::server
