#include "controllers/resource_quota/controller.h"

#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "controllers/resource_quota/decide.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace resource_quota_controller_test {

using api::core::ConfigMap;
using api::core::Pod;
using api::core::ResourceQuota;

TEST(QuotaStatus, IsWrittenWhenItDiffers) {
    ResourceQuota quota;
    quota.spec.hard.set("pods", api::Quantity::from_int(3));
    const Map<api::Quantity> none{{"pods", api::Quantity()}};
    const auto first = decide_quota_status(quota, none);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->hard, quota.spec.hard);
    EXPECT_EQ(first->used, none);
    quota.status = *first;
    EXPECT_FALSE(decide_quota_status(quota, none));
    EXPECT_TRUE(decide_quota_status(quota, {{"pods", api::Quantity::from_int(1)}}));
    quota.spec.hard.set("pods", api::Quantity::from_int(4));
    EXPECT_TRUE(decide_quota_status(quota, none));
    quota.metadata.deletion_timestamp = api::Time::from_instant(Instant::from_unix_seconds(1));
    EXPECT_FALSE(decide_quota_status(quota, none));
}

struct QuotaWorld : testing::Test {
    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    ResourceQuotaController controller{loop, world, metrics};

    void put_pod(const std::string& name, const std::string& phase = "Pending") {
        world.put<Pod>("{metadata: {name: " + name +
                       ", namespace: ns}, spec: {containers: [{name: c, resources: "
                       "{requests: {cpu: 500m}}}]}, status: {phase: " +
                       phase + "}}");
    }
    void put_quota(const std::string& hard) {
        world.put<ResourceQuota>("{metadata: {name: q, namespace: ns}, spec: {hard: {" + hard + "}}}");
    }
    void settle() { loop.run_for(1s); }
    std::string used(const char* resource) {
        const auto quota = world.find<ResourceQuota>("ns", "q");
        const api::Quantity* found = quota ? quota->status.used.find(resource) : nullptr;
        return found ? found->text() : "none";
    }
};

TEST_F(QuotaWorld, TheStatusFollowsThePods) {
    put_pod("a");
    put_quota("pods: 3, requests.cpu: 2, count/configmaps: 1");
    controller.start();
    settle();
    EXPECT_EQ(used("pods"), "1");
    EXPECT_EQ(used("requests.cpu"), "500m");
    EXPECT_EQ(used("count/configmaps"), "0");
    EXPECT_EQ(world.find<ResourceQuota>("ns", "q")->status.hard.find("pods")->text(), "3");
    put_pod("b");
    world.put<ConfigMap>("{metadata: {name: m, namespace: ns}}");
    settle();
    EXPECT_EQ(used("pods"), "2");
    EXPECT_EQ(used("count/configmaps"), "1");
    put_pod("a", "Succeeded");
    world.erase<ConfigMap>("ns", "m");
    settle();
    EXPECT_EQ(used("pods"), "1");
    EXPECT_EQ(used("count/configmaps"), "0");
    world.erase<Pod>("ns", "b");
    settle();
    EXPECT_EQ(used("requests.cpu"), "0");
}

TEST_F(QuotaWorld, AQuotaThatComesLaterOrCountsMoreFindsWhatIsThere) {
    controller.start();
    settle();
    put_pod("a");
    settle();
    put_quota("pods: 3");
    settle();
    EXPECT_EQ(used("pods"), "1");
    put_quota("pods: 3, requests.cpu: 2");
    settle();
    EXPECT_EQ(used("requests.cpu"), "500m");
    world.erase<ResourceQuota>("ns", "q");
    settle();
    put_pod("b");
    put_quota("pods: 3");
    settle();
    EXPECT_EQ(used("pods"), "2");
}

TEST_F(QuotaWorld, AWriteThatFailsIsTriedAgainAndNothingIsWrittenTwice) {
    put_pod("a");
    put_quota("pods: 3");
    world.fail("status resourcequotas", Code::kConflict);
    controller.start();
    settle();
    EXPECT_EQ(used("pods"), "1");
    const std::size_t calls = world.calls.size();
    put_pod("a", "Running");
    settle();
    EXPECT_EQ(world.calls.size(), calls);
}

}  // namespace resource_quota_controller_test
}  // namespace muster::controllers
