#include "server/objects/security_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace security_admission_test {

using api::core::Namespace;
using api::core::Pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct SecurityAdmission : testing::Test {
    ApiObjects api;
    std::vector<std::string> warnings;
    AuditAnnotations audit;
    WriteOptions asked{nullptr, false, &warnings};

    SecurityAdmission() { asked.audit = &audit; }

    Result<Outcome> label(const std::string& key, const std::string& value) {
        return api.update<Namespace>(
            "ns",
            [&](Namespace& space) { space.metadata.labels.set("pod-security.kubernetes.io/" + key, Text(value)); },
            Part::kMain, asked);
    }
    static std::string pod(const std::string& name, const std::string& more = "") {
        return "{metadata: {name: " + name + "}, spec: {containers: [{name: c, image: i}]" + more + "}}";
    }
};

constexpr const char* kHostNetwork = ", hostNetwork: true";
constexpr const char* kFinding = "PodSecurity \"baseline:latest\": host namespaces (hostNetwork=true)";

TEST_F(SecurityAdmission, APodThatViolatesWhatIsEnforcedIsRefused) {
    ASSERT_TRUE(label("enforce", "baseline").ok());
    const auto refused = api.try_create<Pod>(pod("p", kHostNetwork), asked);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kForbidden);
    EXPECT_EQ(refused.error().message, std::string("pods \"p\" is forbidden: violates ") + kFinding);
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_THAT(audit, ElementsAre(Pair("pod-security.kubernetes.io/enforce-policy", "baseline:latest")));
    EXPECT_TRUE(api.try_create<Pod>(pod("p"), asked).ok());
}

TEST_F(SecurityAdmission, WarningsAndNotesRefuseNothing) {
    ASSERT_TRUE(label("warn", "baseline").ok());
    ASSERT_TRUE(label("audit", "baseline").ok());
    ASSERT_TRUE(api.try_create<Pod>(pod("p", kHostNetwork), asked).ok());
    EXPECT_THAT(warnings, ElementsAre(std::string("would violate ") + kFinding));
    EXPECT_THAT(audit, ElementsAre(Pair("pod-security.kubernetes.io/enforce-policy", "privileged:latest"),
                                   Pair("pod-security.kubernetes.io/audit-violations",
                                        std::string("would violate ") + kFinding)));
}

TEST_F(SecurityAdmission, TemplatesAreWarnedOfWhatTheirPodsWouldBeRefusedFor) {
    ASSERT_TRUE(label("enforce", "baseline").ok());
    const std::string spec =
        "spec: {template: {spec: {restartPolicy: Never, hostNetwork: true, containers: [{name: "
        "c, image: i}]}}}";
    ASSERT_TRUE(api.try_create<api::batch::Job>("{metadata: {name: j}, " + spec + "}", asked).ok());
    EXPECT_THAT(warnings, ElementsAre(std::string("would violate ") + kFinding));
    warnings.clear();
    ASSERT_TRUE(api.try_create<api::batch::CronJob>("{metadata: {name: c}, spec: {schedule: '* * * * *', jobTemplate: "
                                                    "{" +
                                                        spec + "}}}",
                                                    asked)
                    .ok());
    EXPECT_THAT(warnings, ElementsAre(std::string("would violate ") + kFinding));
    warnings.clear();
    ASSERT_TRUE(api.try_create<api::core::PodTemplate>("{metadata: {name: t}, template: {spec: {hostNetwork: true, "
                                                       "containers: [{name: c, image: i}]}}}",
                                                       asked)
                    .ok());
    EXPECT_THAT(warnings, ElementsAre(std::string("would violate ") + kFinding));
}

TEST_F(SecurityAdmission, APodThatStandsMayChangeButNotGetAnotherImage) {
    ASSERT_TRUE(api.try_create<Pod>(pod("p", kHostNetwork), asked).ok());
    ASSERT_TRUE(label("enforce", "baseline").ok());
    EXPECT_TRUE(api.update<Pod>("p", [](Pod& now) { now.metadata.labels.set("a", "b"); }).ok());
    EXPECT_TRUE(api.update<Pod>(
                       "p", [](Pod& now) { now.status.phase = "Running"; }, Part::kStatus)
                    .ok());
    const auto refused = api.update<Pod>("p", [](Pod& now) { now.spec.containers.edit()[0].image = "other"; });
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kForbidden);
}

TEST_F(SecurityAdmission, PodsThatStandAreWarnedOfWhenTheLabelIsSet) {
    ASSERT_TRUE(api.try_create<Pod>(pod("b", kHostNetwork), asked).ok());
    ASSERT_TRUE(api.try_create<Pod>(pod("a", kHostNetwork), asked).ok());
    ASSERT_TRUE(label("enforce", "baseline").ok());
    EXPECT_THAT(warnings, ElementsAre("existing pods in namespace \"ns\" violate the new PodSecurity enforce level "
                                      "\"baseline:latest\"",
                                      "a (and 1 other pod): host namespaces"));
    warnings.clear();
    ASSERT_TRUE(label("enforce", "privileged").ok());
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(SecurityAdmission, LabelsThatSayNothingAreRefused) {
    const auto refused = label("enforce", "strictest");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kInvalid);
    EXPECT_EQ(refused.error().message,
              "Namespace \"ns\" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "
              "\"strictest\": must be one of privileged, baseline, restricted");
    EXPECT_FALSE(api.try_create<Namespace>(
                        "{metadata: {name: other, labels: {pod-security.kubernetes.io/warn-version: newest}}}")
                     .ok());
}

}  // namespace security_admission_test
}  // namespace muster::server
