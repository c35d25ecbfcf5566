#include "server/objects/limit_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/quota.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace limit_admission_test {

using api::core::LimitRange;
using api::core::Namespace;
using api::core::PersistentVolumeClaim;
using api::core::Pod;

struct LimitAdmission : testing::Test {
    ApiObjects api;

    void limit(const std::string& item, const std::string& name = "l") {
        api.create<LimitRange>("{metadata: {name: " + name + "}, spec: {limits: [" + item + "]}}");
    }
    static std::string pod(const std::string& name, const std::string& resources = "") {
        return "{metadata: {name: " + name + "}, spec: {containers: [{name: c, image: i, resources: {" + resources +
               "}}]}}";
    }
    static std::string claim(const std::string& name, const std::string& size) {
        return "{metadata: {name: " + name +
               "}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: " + size + "}}}}";
    }
    void refuse(const Result<Outcome>& outcome, const std::string& message) {
        ASSERT_FALSE(outcome.ok());
        EXPECT_EQ(outcome.error().code, Code::kForbidden);
        EXPECT_EQ(outcome.error().message, message);
    }
};

TEST_F(LimitAdmission, ANewPodGetsTheDefaults) {
    limit("{type: Container, default: {cpu: 2}, defaultRequest: {cpu: 1}}");
    const Pod& made = api.create<Pod>(pod("p"));
    EXPECT_EQ(made.spec.containers[0].resources.limits.find("cpu")->text(), "2");
    EXPECT_EQ(made.spec.containers[0].resources.requests.find("cpu")->text(), "1");
    EXPECT_EQ(*made.metadata.annotations.find("kubernetes.io/limit-ranger"),
              "LimitRanger plugin set: cpu request for container c; cpu limit for container c");
    EXPECT_EQ(made.status.qos_class, "Burstable");
}

TEST_F(LimitAdmission, APodOutsideTheBoundsIsRefused) {
    limit("{type: Container, min: {cpu: 1}}");
    refuse(api.try_create<Pod>(pod("p", "requests: {cpu: 500m}, limits: {cpu: 2}")),
           "pods \"p\" is forbidden: minimum cpu usage per Container is 1, but request is 500m");
    EXPECT_FALSE(api.find<Pod>("p"));
    EXPECT_TRUE(api.try_create<Pod>(pod("q", "requests: {cpu: 1}")).ok());
}

TEST_F(LimitAdmission, AllRangesOfTheNamespaceHoldAndNoOthers) {
    api.create<Namespace>("metadata: {name: other}");
    limit("{type: Pod, max: {cpu: 1}}", "a");
    limit("{type: Pod, max: {memory: 1Gi}}", "b");
    refuse(api.try_create<Pod>(pod("p", "limits: {cpu: 1, memory: 2Gi}")),
           "pods \"p\" is forbidden: maximum memory usage per Pod is 1Gi, but limit is 2Gi");
    EXPECT_TRUE(api.objects
                    .create({api::kind_info<Pod>(), "other", ""},
                            ApiObjects::draft<Pod>(pod("p", "limits: {cpu: 9, memory: 2Gi}")), {})
                    .ok());
}

TEST_F(LimitAdmission, APodThatStandsIsNotLookedAtAgain) {
    api.create<Pod>(pod("p"));
    limit("{type: Container, min: {cpu: 1}}");
    EXPECT_TRUE(api.update<Pod>("p", [](Pod& now) { now.metadata.labels.set("a", "b"); }).ok());
    EXPECT_EQ(api.get<Pod>("p").spec.containers[0].resources.requests.size(), 0u);
}

TEST_F(LimitAdmission, ClaimsAreBoundedWhenTheyAreMadeAndWhenTheyGrow) {
    limit("{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 2Gi}}");
    refuse(api.try_create<PersistentVolumeClaim>(claim("c", "3Gi")),
           "persistentvolumeclaims \"c\" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but "
           "request is 3Gi");
    api.create<PersistentVolumeClaim>(claim("c", "1Gi"));
    refuse(api.update<PersistentVolumeClaim>("c",
                                             [](PersistentVolumeClaim& now) {
                                                 now.spec.resources.requests.set("storage",
                                                                                 api::Quantity::parse("4Gi").value());
                                             }),
           "persistentvolumeclaims \"c\" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but "
           "request is 4Gi");
}

TEST_F(LimitAdmission, ARangeThatContradictsItselfIsRefused) {
    const auto outcome = api.try_create<LimitRange>(
        "{metadata: {name: l}, spec: {limits: [{type: Pod, min: {cpu: 2}, max: {cpu: "
        "1}}]}}");
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, Code::kInvalid);
}

}  // namespace limit_admission_test
}  // namespace muster::server
