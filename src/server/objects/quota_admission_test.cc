#include "server/objects/quota_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/pod.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace quota_admission_test {

using api::core::ConfigMap;
using api::core::PersistentVolumeClaim;
using api::core::Pod;
using api::core::ResourceQuota;

struct QuotaAdmission : testing::Test {
    ApiObjects api;

    void limit(const std::string& hard, const std::string& name = "q", const std::string& more = "") {
        api.create<ResourceQuota>("{metadata: {name: " + name + "}, spec: {hard: {" + hard + "}" + more + "}}");
    }
    Result<Outcome> add_map(const std::string& name, const WriteOptions& options = {}) {
        return api.try_create<ConfigMap>("metadata: {name: " + name + "}", options);
    }
    Result<Outcome> add_pod(const std::string& name, const std::string& cpu = "1") {
        return api.try_create<Pod>("{metadata: {name: " + name +
                                   "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "
                                   "" +
                                   cpu + "}}}]}}");
    }
    void refuse(const Result<Outcome>& outcome, const std::string& message) {
        ASSERT_FALSE(outcome.ok());
        EXPECT_EQ(outcome.error().code, Code::kForbidden);
        EXPECT_EQ(outcome.error().message, message);
    }
};

TEST_F(QuotaAdmission, WhatWouldExceedIsRefusedAndWhatWentMakesRoom) {
    limit("configmaps: 2");
    ASSERT_TRUE(add_map("a").ok());
    ASSERT_TRUE(add_map("b").ok());
    refuse(add_map("c"),
           "configmaps \"c\" is forbidden: exceeded quota: q, requested: configmaps=1, used: "
           "configmaps=2, limited: configmaps=2");
    EXPECT_FALSE(api.find<ConfigMap>("c"));
    ASSERT_TRUE(api.remove<ConfigMap>("a").ok());
    EXPECT_TRUE(add_map("c").ok());
}

TEST_F(QuotaAdmission, WhatWasThereBeforeTheQuotaCounts) {
    ASSERT_TRUE(add_map("a").ok());
    ASSERT_TRUE(add_map("b").ok());
    limit("count/configmaps: 2");
    EXPECT_FALSE(add_map("c").ok());
    // Another name to count, and limits that move.
    limit("count/jobs.batch: 0", "jobs");
    EXPECT_FALSE(api.try_create<api::batch::Job>(std::string("metadata: {name: j}\n") + kJobSpec).ok());
    EXPECT_FALSE(add_map("c").ok());
    ASSERT_TRUE(
        api.update<ResourceQuota>(
               "q", [](ResourceQuota& now) { now.spec.hard.set("count/configmaps", api::Quantity::from_int(3)); })
            .ok());
    EXPECT_TRUE(add_map("c").ok());
    EXPECT_FALSE(add_map("d").ok());
    ASSERT_TRUE(api.remove<ResourceQuota>("q").ok());
    EXPECT_TRUE(add_map("d").ok());
}

TEST_F(QuotaAdmission, APodThatHasEndedMakesRoom) {
    limit("pods: 1, requests.cpu: 1");
    ASSERT_TRUE(add_pod("a").ok());
    refuse(add_pod("b"),
           "pods \"b\" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=1, used: "
           "pods=1,requests.cpu=1, limited: pods=1,requests.cpu=1");
    ASSERT_TRUE(api.update<Pod>(
                       "a", [](Pod& now) { now.status.phase = "Succeeded"; }, Part::kStatus)
                    .ok());
    EXPECT_TRUE(add_pod("b").ok());
    EXPECT_FALSE(add_pod("c").ok());
}

TEST_F(QuotaAdmission, APodMustStateWhatIsLimited) {
    limit("limits.cpu: 4");
    refuse(add_pod("a"), "pods \"a\" is forbidden: failed quota: q: must specify limits.cpu for: c");
}

TEST_F(QuotaAdmission, AClaimThatGrowsIsCharged) {
    limit("requests.storage: 2Gi");
    api.create<PersistentVolumeClaim>(
        "{metadata: {name: c}, spec: {accessModes: [ReadWriteOnce], resources: "
        "{requests: {storage: 1Gi}}}}");
    const auto grow = [&](const char* size) {
        return api.update<PersistentVolumeClaim>("c", [&](PersistentVolumeClaim& now) {
            now.spec.resources.requests.set("storage", api::Quantity::parse(size).value());
        });
    };
    refuse(grow("3Gi"),
           "persistentvolumeclaims \"c\" is forbidden: exceeded quota: q, requested: "
           "requests.storage=2Gi, used: requests.storage=1Gi, limited: requests.storage=2Gi");
    EXPECT_TRUE(grow("2Gi").ok());
}

TEST_F(QuotaAdmission, ADryRunIsAskedAndNotCharged) {
    limit("configmaps: 1");
    ASSERT_TRUE(add_map("a", {nullptr, true, nullptr}).ok());
    ASSERT_TRUE(add_map("a").ok());
    EXPECT_FALSE(add_map("b", {nullptr, true, nullptr}).ok());
}

TEST_F(QuotaAdmission, WhatFailsForAnotherReasonIsNotCharged) {
    limit("configmaps: 1");
    EXPECT_FALSE(add_map("BAD NAME").ok());
    ASSERT_TRUE(add_map("a").ok());
    EXPECT_EQ(add_map("a").error().code, Code::kForbidden);
    ASSERT_TRUE(api.update<ConfigMap>("a", [](ConfigMap& map) { map.data.set("x", "y"); }).ok());
    ASSERT_TRUE(api.remove<ConfigMap>("a").ok());
    EXPECT_TRUE(add_map("b").ok());
}

TEST_F(QuotaAdmission, AnObjectThatAFinalizerHoldsCountsUntilItIsGone) {
    limit("configmaps: 1");
    ASSERT_TRUE(api.try_create<ConfigMap>("metadata: {name: a, finalizers: [example.com/x]}").ok());
    ASSERT_TRUE(api.remove<ConfigMap>("a").ok());
    EXPECT_FALSE(add_map("b").ok());
    ASSERT_TRUE(api.update<ConfigMap>("a", [](ConfigMap& map) { map.metadata.finalizers.reset(); }).ok());
    EXPECT_FALSE(api.find<ConfigMap>("a"));
    EXPECT_TRUE(add_map("b").ok());
}

TEST_F(QuotaAdmission, AServerThatStartsCountsWhatIsStored) {
    limit("configmaps: 2");
    ASSERT_TRUE(add_map("a").ok());
    ASSERT_TRUE(add_map("b").ok());
    Objects later(api.loop, *api.store, default_admission(), {}, 8);
    const auto outcome = later.create(ApiObjects::place<ConfigMap>(""),
                                      ApiObjects::draft<ConfigMap>("metadata: "
                                                                   "{name: c}"),
                                      {});
    EXPECT_FALSE(outcome.ok());
}

TEST_F(QuotaAdmission, QuotasCanBeCounted) {
    limit("resourcequotas: 1");
    refuse(api.try_create<ResourceQuota>("{metadata: {name: r}, spec: {hard: {pods: 1}}}"),
           "resourcequotas \"r\" is forbidden: exceeded quota: q, requested: resourcequotas=1, used: "
           "resourcequotas=1, limited: resourcequotas=1");
}

}  // namespace quota_admission_test
}  // namespace muster::server
