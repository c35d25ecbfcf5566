#include "api/quota/ledger.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/service.h"

namespace muster::api {
namespace ledger_test {

using core::ConfigMap;
using core::Pod;
using core::ResourceQuotaSpec;
using core::Service;

struct QuotaLedgerTest : testing::Test {
    QuotaLedger ledger;

    static ResourceQuotaSpec spec(const std::string& yaml) { return from_yaml<ResourceQuotaSpec>(yaml).value(); }
    static Pod pod(const std::string& cpu, const char* phase = "Pending") {
        return from_yaml<Pod>("{spec: {containers: [{name: c, resources: {requests: {cpu: " + cpu +
                              "}}}]}, status: {phase: " + phase + "}}")
            .value();
    }
    std::string used(const char* quota, const char* resource) const {
        const Quantity* found = ledger.accounts().find(quota)->second.used.find(resource);
        return found ? found->text() : "none";
    }
    template <class K>
    bool apply(const K* before, const K* after) {
        return ledger.apply(kind_info<K>(), before, after);
    }
    template <class K>
    std::string check(const K* before, const K* after) {
        return ledger.check(kind_info<K>(), before, after);
    }
};

TEST_F(QuotaLedgerTest, CountsWhatComesChangesAndGoes) {
    ASSERT_TRUE(ledger.open("q", spec("{hard: {pods: 2, requests.cpu: 2, count/pods: 5, replicationcontrollers: 1, "
                                      "count/odd.example.com: 1}}")));
    EXPECT_EQ(used("q", "pods"), "0");
    EXPECT_EQ(used("q", "replicationcontrollers"), "0");
    EXPECT_EQ(used("q", "count/odd.example.com"), "none");
    const Pod small = pod("500m");
    const Pod large = pod("1");
    EXPECT_TRUE(apply<Pod>(nullptr, &small));
    EXPECT_TRUE(apply<Pod>(nullptr, &large));
    EXPECT_EQ(used("q", "requests.cpu"), "1500m");
    EXPECT_EQ(used("q", "pods"), "2");
    const Pod ended = pod("1", "Succeeded");
    EXPECT_TRUE(apply<Pod>(&large, &ended));
    EXPECT_EQ(used("q", "requests.cpu"), "500m");
    EXPECT_EQ(used("q", "pods"), "1");
    EXPECT_EQ(used("q", "count/pods"), "2");
    EXPECT_TRUE(apply<Pod>(&ended, nullptr));
    EXPECT_TRUE(apply<Pod>(&small, nullptr));
    EXPECT_EQ(used("q", "pods"), "0");
    EXPECT_EQ(used("q", "requests.cpu"), "0");
    EXPECT_FALSE(apply<Pod>(&ended, &ended));
}

TEST_F(QuotaLedgerTest, RefusesWhatWouldExceedInKubernetesWords) {
    ledger.open("q", spec("{hard: {pods: 2, requests.cpu: '1.5'}}"));
    const Pod one = pod("1");
    EXPECT_EQ(check<Pod>(nullptr, &one), "");
    apply<Pod>(nullptr, &one);
    EXPECT_EQ(check<Pod>(nullptr, &one),
              "exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1, "
              "limited: requests.cpu=1500m");
    const Pod small = pod("500m");
    apply<Pod>(nullptr, &small);
    EXPECT_EQ(check<Pod>(nullptr, &small),
              "exceeded quota: q, requested: pods=1,requests.cpu=500m, used: pods=2,requests.cpu=1500m, limited: "
              "pods=2,requests.cpu=1500m");
    const Pod silent = from_yaml<Pod>("{spec: {containers: [{name: c}]}}").value();
    EXPECT_EQ(check<Pod>(nullptr, &silent), "failed quota: q: must specify requests.cpu for: c");
}

TEST_F(QuotaLedgerTest, OnlyGrowthIsAskedFor) {
    ledger.open("q", spec("{hard: {services.nodeports: 1, services: 1}}"));
    const Service plain = from_yaml<Service>("{spec: {type: ClusterIP, ports: [{port: 1}, {port: 2}]}}").value();
    const Service open_ports = from_yaml<Service>("{spec: {type: NodePort, ports: [{port: 1}, {port: 2}]}}").value();
    apply<Service>(nullptr, &plain);
    EXPECT_EQ(check<Service>(&plain, &plain), "");
    EXPECT_EQ(check<Service>(&plain, &open_ports),
              "exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: "
              "services.nodeports=1");
    // Above the limit already, because the limit was lowered: what stays as it is stays.
    apply<Service>(&plain, &open_ports);
    EXPECT_EQ(check<Service>(&open_ports, &open_ports), "");
    EXPECT_EQ(check<Service>(&open_ports, &plain), "");
}

TEST_F(QuotaLedgerTest, APodThatChangesItsScopeIsChargedThere) {
    ledger.open("bounded", spec("{hard: {pods: 0}, scopes: [Terminating]}"));
    const Pod before = pod("1");
    Pod now = before;
    now.spec.active_deadline_seconds = 10;
    EXPECT_EQ(check<Pod>(&before, &now), "exceeded quota: bounded, requested: pods=1, used: pods=0, limited: pods=0");
    apply<Pod>(nullptr, &before);
    EXPECT_EQ(used("bounded", "pods"), "0");
    apply<Pod>(&before, &now);
    EXPECT_EQ(used("bounded", "pods"), "1");
}

TEST_F(QuotaLedgerTest, EveryQuotaHolds) {
    ledger.open("a", spec("{hard: {configmaps: 5}}"));
    ledger.open("b", spec("{hard: {count/configmaps: 0}}"));
    const ConfigMap map;
    EXPECT_EQ(check<ConfigMap>(nullptr, &map),
              "exceeded quota: b, requested: count/configmaps=1, used: "
              "count/configmaps=0, limited: count/configmaps=0");
    ledger.close("b");
    EXPECT_EQ(check<ConfigMap>(nullptr, &map), "");
}

TEST_F(QuotaLedgerTest, NewLimitsKeepWhatWasCounted) {
    ledger.open("q", spec("{hard: {configmaps: 5}}"));
    const ConfigMap map;
    apply<ConfigMap>(nullptr, &map);
    EXPECT_FALSE(ledger.open("q", spec("{hard: {configmaps: 1}}")));
    EXPECT_EQ(used("q", "configmaps"), "1");
    EXPECT_NE(check<ConfigMap>(nullptr, &map), "");
    EXPECT_TRUE(ledger.open("q", spec("{hard: {configmaps: 1, secrets: 1}}")));
    EXPECT_EQ(used("q", "configmaps"), "0");
    ledger.count("q", kind_info<ConfigMap>(), &map);
    EXPECT_EQ(used("q", "configmaps"), "1");
}

}  // namespace ledger_test
}  // namespace muster::api
