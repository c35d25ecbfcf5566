#include "controllers/pod_gc/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace pod_gc_controller_test {

using api::core::Node;
using api::core::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PodGcControllerTest : public ::testing::Test {
protected:
    void start(std::int64_t terminated_max = 12500) {
        PodGcOptions options;
        options.terminated_max = terminated_max;
        options.ended_at_once_max = ended_at_once_max;
        controller = std::make_unique<PodGcController>(loop, world, metrics, options);
        controller->start();
        loop.run_for(1s);
    }
    void put_node(const char* name) {
        Node node;
        node.metadata.name = name;
        world.put(std::move(node));
    }
    void put_pod(const char* name, const char* node, const char* phase, const char* finalizer = "") {
        Pod pod;
        pod.metadata.namespace_ = "n";
        pod.metadata.name = name;
        pod.spec.node_name = node;
        pod.status.phase = phase;
        if (*finalizer) pod.metadata.finalizers.edit().push_back(finalizer);
        world.put(std::move(pod));
    }

    std::size_t ended_at_once_max = 2000;
    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<PodGcController> controller;
};

TEST_F(PodGcControllerTest, PodsOfANodeThatVanishedFailAndGoAfterTheQuarantine) {
    put_node("here");
    put_pod("a", "gone", "Running", "batch.kubernetes.io/job-tracking");
    put_pod("b", "here", "Running");
    start();
    loop.run_for(38s);
    EXPECT_THAT(world.calls, IsEmpty());
    loop.run_for(3s);
    EXPECT_THAT(world.calls, ElementsAre("status pods n/a", "remove pods n/a grace 0"));
    const auto pod = world.find<Pod>("n", "a");
    ASSERT_TRUE(pod) << "its finalizer holds it until it is counted";
    EXPECT_EQ(pod->status.phase, "Failed");
    EXPECT_EQ(pod->status.conditions[0].reason, "DeletionByPodGC");
    EXPECT_THAT(metrics.format(), HasSubstr("pod_gc_collector_force_delete_pods_total"));
    EXPECT_TRUE(world.find<Pod>("n", "b"));
}

TEST_F(PodGcControllerTest, ANodeThatComesBackInTimeKeepsItsPods) {
    put_pod("a", "slow", "Running");
    start();
    loop.run_for(30s);
    put_node("slow");
    loop.run_for(5min);
    EXPECT_THAT(world.calls, IsEmpty());
}

TEST_F(PodGcControllerTest, EndedPodsBeyondTheLimitGo) {
    put_pod("a", "", "Succeeded");
    put_pod("b", "", "Failed");
    put_pod("c", "", "Succeeded");
    start(2);
    EXPECT_THAT(world.calls, ElementsAre("remove pods n/a grace 0"));
    loop.run_for(5min);
    EXPECT_EQ(world.all<Pod>().size(), 2u);
}

TEST_F(PodGcControllerTest, ManyEndedPodsGoInRoundsThatFollowAtOnce) {
    for (int i = 0; i < 9; ++i) put_pod(("p" + std::to_string(i)).c_str(), "", "Succeeded");
    ended_at_once_max = 3;
    start(1);
    loop.run_for(1s);
    EXPECT_EQ(world.all<Pod>().size(), 1u);
}

TEST_F(PodGcControllerTest, AFailedStepIsMadeAgainInTheNextRound) {
    put_pod("a", "gone", "Running");
    start();
    world.fail("status pods", Code::kConflict, 1);
    world.fail("remove pods", Code::kUnavailable, 1);
    loop.run_for(41s);
    EXPECT_EQ(world.calls.size(), 1u) << "what is not marked is not removed";
    EXPECT_THAT(metrics.format(), HasSubstr("pod_gc_collector_force_delete_pod_errors_total"));
    loop.run_for(41s);
    EXPECT_THAT(world.all<Pod>(), IsEmpty());
}

}  // namespace pod_gc_controller_test
}  // namespace muster::controllers
