#include "server/access/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/encode.h"
#include "server/access/rbac/role_index.h"
#include "server/identity/certificate_authority.h"
#include "server/testing/bound_objects.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace reviews_test {

using api::authentication::TokenReview;
using api::authorization::LocalSubjectAccessReview;
using api::authorization::SelfSubjectAccessReview;
using api::authorization::SelfSubjectRulesReview;
using api::authorization::SubjectAccessReview;
using testing::ElementsAre;
using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'700'000'000);
const User kAnn{.name = "ann", .uid = "7", .groups = {"dev"}, .extra = {{"k", {"v", "w"}}}};

template <class K>
K parsed(std::string_view yaml) {
    return api::from_yaml<K>(yaml).value();
}

struct ReviewsTest : testing::Test {
    KindStore store;
    RoleIndex roles{*store};

    ReviewsTest() {
        store.put<api::rbac::ClusterRole>(
            "metadata: {name: reader}\nrules: [{verbs: [list], apiGroups: [''], resources: [pods]}, "
            "{verbs: [get], nonResourceURLs: [/metrics]}]");
        store.put<api::rbac::RoleBinding>(
            "metadata: {name: b, namespace: ns}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, "
            "name: reader}\nsubjects: [{kind: User, name: ann}]");
    }
    std::string failure(const auto& result, Code code = Code::kInvalid) {
        if (result.ok()) return "";
        EXPECT_EQ(result.error().code, code);
        return result.error().message;
    }
};

TEST_F(ReviewsTest, OneIsToldWhatOneMayDo) {
    const auto yes = answer_review(
        roles, kAnn,
        parsed<SelfSubjectAccessReview>("spec: {resourceAttributes: {verb: list, resource: pods, namespace: ns}}"));
    EXPECT_TRUE(yes->status.allowed);
    EXPECT_EQ(yes->status.reason, "RBAC: allowed by RoleBinding \"b/ns\" of ClusterRole \"reader\" to User \"ann\"");
    const auto no = answer_review(
        roles, kAnn, parsed<SelfSubjectAccessReview>("spec: {resourceAttributes: {verb: list, resource: pods}}"));
    EXPECT_FALSE(no->status.allowed);
    EXPECT_FALSE(no->status.denied);
    EXPECT_EQ(no->status.reason, "");
    const auto path = answer_review(
        roles, kAnn, parsed<SelfSubjectAccessReview>("spec: {nonResourceAttributes: {verb: get, path: /metrics}}"));
    EXPECT_FALSE(path->status.allowed);
}

TEST_F(ReviewsTest, OthersAreAskedAboutByNameAndGroups) {
    const auto ask = [&](const char* who) {
        return answer_review(
                   roles, parsed<SubjectAccessReview>(
                              std::string("spec: {resourceAttributes: {verb: list, resource: pods, namespace: ns}, ") +
                              who + "}"))
            ->status.allowed;
    };
    EXPECT_TRUE(ask("user: ann"));
    EXPECT_FALSE(ask("user: bob"));
    EXPECT_TRUE(ask("user: bob, groups: [system:masters]"));
}

TEST_F(ReviewsTest, AQuestionThatIsNoneIsRefused) {
    const auto subject = [&](const char* yaml) {
        return failure(answer_review(roles, parsed<SubjectAccessReview>(yaml)));
    };
    EXPECT_EQ(subject("spec: {user: ann}"),
              "SubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: "
              "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    EXPECT_THAT(subject("spec: {user: ann, resourceAttributes: {verb: get}, nonResourceAttributes: {path: /x}}"),
                HasSubstr("spec.nonResourceAttributes: Invalid value: {\"path\":\"/x\"}: cannot be specified in "
                          "combination with resourceAttributes"));
    EXPECT_THAT(subject("spec: {resourceAttributes: {verb: get}}"),
                HasSubstr("spec.user: Invalid value: \"\": at least one of user or group must be specified"));
    EXPECT_THAT(subject("{metadata: {name: x}, spec: {user: ann, resourceAttributes: {verb: get}}}"),
                HasSubstr("metadata: Invalid value: {\"name\":\"x\"}: must be empty"));
    EXPECT_THAT(
        subject("spec: {user: ann, resourceAttributes: {verb: get, labelSelector: {}}}"),
        HasSubstr("spec.resourceAttributes.labelSelector.requirements: Required value: when "
                  "spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required"));
    EXPECT_THAT(subject("spec: {user: ann, resourceAttributes: {verb: get, fieldSelector: {rawSelector: a=b, "
                        "requirements: [{key: '', operator: In, values: []}]}}}"),
                HasSubstr("may not specified at the same time as requirements"));
}

TEST_F(ReviewsTest, ASelectorThatCannotBeReadIsIgnoredAloud) {
    const auto error = [&](const char* selector) {
        return answer_review(
                   roles, kAnn,
                   parsed<SelfSubjectAccessReview>(
                       std::string("spec: {resourceAttributes: {verb: list, resource: pods, namespace: ns, ") +
                       selector + "}}"))
            ->status.evaluation_error.str();
    };
    EXPECT_EQ(error("labelSelector: {rawSelector: 'a=b'}"), "");
    EXPECT_EQ(error("labelSelector: {rawSelector: 'a=='}, fieldSelector: {rawSelector: 'x'}"),
              "spec.resourceAttributes.fieldSelector ignored due to parse error");
    EXPECT_EQ(
        error("labelSelector: {requirements: [{key: a, operator: Future, values: [b]}, {key: c, operator: Exists}]}"),
        "spec.resourceAttributes.labelSelector partially ignored due to parse error");
}

TEST_F(ReviewsTest, ALocalQuestionIsAboutItsNamespace) {
    const auto ask = [&](const char* yaml) {
        return answer_review(roles, "ns", parsed<LocalSubjectAccessReview>(yaml));
    };
    EXPECT_TRUE(
        ask("spec: {user: ann, resourceAttributes: {verb: list, resource: pods, namespace: ns}}")->status.allowed);
    EXPECT_THAT(failure(ask("spec: {user: ann, resourceAttributes: {verb: list, resource: pods, namespace: m}}")),
                HasSubstr("spec.resourceAttributes.namespace: Invalid value: \"m\": must match metadata.namespace"));
    EXPECT_THAT(failure(ask("spec: {user: ann, nonResourceAttributes: {path: /x}}")),
                HasSubstr("disallowed on this kind of request"));
    EXPECT_EQ(failure(ask("{metadata: {namespace: m}, spec: {user: ann, resourceAttributes: {verb: list, resource: "
                          "pods, namespace: m}}}"),
                      Code::kBadRequest),
              "spec.resourceAttributes.namespace must match namespace: ns");
}

TEST_F(ReviewsTest, RulesAreListedApart) {
    const auto answer = answer_review(roles, kAnn, parsed<SelfSubjectRulesReview>("spec: {namespace: ns}"));
    EXPECT_EQ(api::to_json(answer->status),
              R"({"resourceRules":[{"verbs":["list"],"apiGroups":[""],"resources":["pods"]}],)"
              R"("nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/metrics"]}],"incomplete":false})");
    const auto none = answer_review(roles, kAnn, parsed<SelfSubjectRulesReview>("spec: {namespace: m}"));
    EXPECT_EQ(api::to_json(none->status), R"({"resourceRules":[],"nonResourceRules":[],"incomplete":false})");
    EXPECT_EQ(failure(answer_review(roles, kAnn, SelfSubjectRulesReview()), Code::kBadRequest),
              "no namespace on request");
    store.remove<api::rbac::ClusterRole>("", "reader");
    EXPECT_EQ(
        answer_review(roles, kAnn, parsed<SelfSubjectRulesReview>("spec: {namespace: ns}"))->status.evaluation_error,
        "clusterrole.rbac.authorization.k8s.io \"reader\" not found");
}

TEST_F(ReviewsTest, OneIsToldWhoOneIs) {
    const auto answer = answer_self_review(kAnn, kNow);
    EXPECT_EQ(api::to_json(answer.status),
              R"({"userInfo":{"username":"ann","uid":"7","groups":["dev"],"extra":{"k":["v","w"]}}})");
    EXPECT_EQ(answer.metadata.creation_timestamp.unix_seconds(), kNow.unix_seconds());
}

TEST_F(ReviewsTest, ATokenIsWorthItsUserOrAReason) {
    const std::string key = make_signing_key();
    const Authenticator authenticator(
        std::make_shared<StaticTokens>(StaticTokens::parse("t1,ann,7").value()),
        std::make_shared<TokenVerifier>(TokenKeys::from_pem(key).value(), std::vector<std::string>{"iss"},
                                        std::vector<std::string>{"iss"}));
    FakeBoundObjects objects;
    const auto ask = [&](const std::string& token, List<Text> audiences = {}) {
        TokenReview review;
        review.spec.token = token;
        review.spec.audiences = audiences;
        return answer_review(authenticator, objects, review, kNow)->status;
    };
    EXPECT_EQ(api::to_json(ask("t1")),
              R"({"authenticated":true,"user":{"username":"ann","uid":"7","groups":["system:authenticated"]},)"
              R"("audiences":["iss"]})");
    EXPECT_EQ(api::to_json(ask("t2")), R"({"user":{},"error":"invalid bearer token"})");
    TokenClaims claims{.issuer = "iss", .audiences = {"vault"}};
    claims.expires_at = kNow.unix_seconds() + 60;
    claims.namespace_ = "batch";
    claims.service_account = {"runner", "uid"};
    const std::string token = TokenSigner::from_pem(key)->sign(format_claims(claims)).value();
    EXPECT_EQ(ask(token, {"vault"}).error, "serviceaccounts \"runner\" not found");
    objects.put(BoundKind::kServiceAccount, "batch", "runner", {.uid = "uid"});
    EXPECT_TRUE(ask(token, {"vault"}).authenticated);
    EXPECT_THAT(ask(token, {"vault", "x"}).audiences, ElementsAre("vault"));
    EXPECT_FALSE(ask(token).authenticated);
    EXPECT_EQ(failure(answer_review(authenticator, objects, TokenReview(), kNow), Code::kBadRequest),
              "token is required for TokenReview in authentication");
}

}  // namespace reviews_test
}  // namespace muster::server
