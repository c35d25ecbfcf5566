#include "server/access/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/dom.h"

namespace muster::server {
namespace audit_test {

using testing::HasSubstr;
using testing::Not;

const User kAnn{.name = "ann", .uid = "7", .groups = {"dev"}};

AuditRecord sample() {
    AuditRecord record{.id = "id-1", .received = Instant::from_unix_seconds(1'700'000'000), .latency = 1500us};
    record.user = &kAnn;
    record.attributes = {
        .verb = "get", .group = "batch", .version = "v1", .resource = "jobs", .namespace_ = "n", .name = "j"};
    record.request_uri = "/apis/batch/v1/namespaces/n/jobs/j?pretty=true";
    record.source_ip = "10.0.0.1";
    record.user_agent = "kubectl/v1.30";
    record.code = 200;
    record.reason = "why";
    return record;
}

TEST(Audit, ALineIsAKubernetesAuditEvent) {
    EXPECT_EQ(
        format_audit_line(sample()),
        R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete",)"
        R"("auditID":"id-1","requestURI":"/apis/batch/v1/namespaces/n/jobs/j?pretty=true","verb":"get",)"
        R"("user":{"username":"ann","uid":"7","groups":["dev"]},"sourceIPs":["10.0.0.1"],"userAgent":"kubectl/v1.30",)"
        R"("objectRef":{"resource":"jobs","namespace":"n","name":"j","apiGroup":"batch","apiVersion":"v1"},)"
        R"("responseStatus":{"code":200},"requestReceivedTimestamp":"2023-11-14T22:13:20.000000Z",)"
        R"("stageTimestamp":"2023-11-14T22:13:20.001500Z","annotations":{"apiserver.latency.k8s.io/total":"1.5ms",)"
        R"("authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"why"}})"
        "\n");
}

TEST(Audit, WhatAdmissionAddsStandsUnderAnnotations) {
    const std::vector<std::pair<std::string, std::string>> added{
        {"pod-security.kubernetes.io/audit-violations", "would violate \"baseline\""}};
    AuditRecord record = sample();
    record.annotations = added;
    EXPECT_THAT(format_audit_line(record),
                HasSubstr(R"(,"pod-security.kubernetes.io/audit-violations":"would violate \"baseline\""}})"));
}

TEST(Audit, NamesTheUserAndTheImpersonatedUser) {
    const User bob{.name = "bob"};
    AuditRecord record = sample();
    record.impersonated = &bob;
    record.allowed = false;
    record.code = 403;
    const std::string line = format_audit_line(record);
    EXPECT_THAT(line, HasSubstr(R"("user":{"username":"ann")"));
    EXPECT_THAT(line, HasSubstr(R"("impersonatedUser":{"username":"bob"})"));
    EXPECT_THAT(line, HasSubstr(R"("authorization.k8s.io/decision":"forbid")"));
}

TEST(Audit, WithoutAuthenticationHasNoNameAndNoDecision) {
    AuditRecord record = sample();
    record.user = nullptr;
    record.attributes = Attributes::for_path("get", "/metrics");
    record.code = 401;
    const std::string line = format_audit_line(record);
    EXPECT_THAT(line, Not(HasSubstr("\"user\"")));
    EXPECT_THAT(line, Not(HasSubstr("decision")));
    EXPECT_THAT(line, Not(HasSubstr("objectRef")));
}

TEST(Audit, QueriesThatMayHoldSecretsAreTakenOut) {
    EXPECT_EQ(without_secrets("/a"), "/a");
    EXPECT_EQ(without_secrets("/a?"), "/a?");
    EXPECT_EQ(without_secrets("/a?watch=true&access_token=abc&x&command=rm%20-rf&=z"),
              "/a?watch=true&access_token=REDACTED&x&command=REDACTED&=REDACTED");
    EXPECT_EQ(without_secrets("/a?labelSelector=a%3Db&limit=5"), "/a?labelSelector=a%3Db&limit=5");
    for (const char* name : {"allowWatchBookmarks", "watch", "timeoutSeconds", "fieldSelector"})
        EXPECT_EQ(without_secrets(std::string("/a?") + name + "=v"), std::string("/a?") + name + "=v");
}

TEST(Audit, WhateverAClientSendsTheLineIsOneLineOfJson) {
    AuditRecord record = sample();
    const std::string odd("a\n\"\x80\xff\0z", 8);
    const std::string huge(100'000, '\xc3');
    record.user_agent = odd;
    record.request_uri = huge;
    record.attributes.name = odd;
    const std::string line = format_audit_line(record);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_TRUE(api::parse_dom(line).ok());
    EXPECT_LT(line.size(), 20'000u);
}

}  // namespace audit_test
}  // namespace muster::server
