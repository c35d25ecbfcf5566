#include "controllers/queue/objects/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace objects_controller_test {

using api::kueue::AdmissionCheck;
using api::kueue::ClusterQueue;
using api::kueue::ResourceFlavor;
using api::kueue::Workload;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kHeld = R"("finalizers": ["kueue.x-k8s.io/resource-in-use"])";
const std::string kQueue = R"({"metadata": {"name": "q", "generation": 1, )" + kHeld +
                           R"(}, "spec": {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "f",
      "resources": [{"name": "cpu", "nominalQuota": "1"}]}]}],
      "admissionChecksStrategy": {"admissionChecks": [{"name": "c"}]}}})";

class QueueObjectsTest : public ::testing::Test {
protected:
    void start() {
        controller.emplace(loop, world, metrics);
        controller->start();
        loop.run_for(1s);
    }
    void put_workload(const char* finished) {
        world.put<Workload>(std::string(R"({"metadata": {"name": "w", "namespace": "n"}, "status": {
          "admission": {"clusterQueue": "q"}, "conditions": [{"type": "QuotaReserved", "status": "True"},
          {"type": "Finished", "status": ")") +
                            finished + R"("}]}})");
    }
    // As the admission controller does when nothing is under way any more.
    void close_queue() {
        ClusterQueue draft = *world.find<ClusterQueue>("", "q");
        api::meta::Condition active;
        active.type = "Active";
        active.status = "False";
        active.reason = "Terminating";
        draft.status.conditions.edit().push_back(active);
        world.put(std::move(draft));
    }
    std::vector<std::string> told() {
        std::vector<std::string> messages;
        for (const auto& event : world.all<api::core::Event>()) messages.push_back(event->message.str());
        return messages;
    }

    os::VirtualLoop loop{Instant::from_unix_seconds(1704067200)};
    FakeWorld world{loop};
    client::Metrics metrics;
    std::optional<QueueObjects> controller;
};

TEST_F(QueueObjectsTest, WhatCanBeInUseGetsAFinalizer) {
    world.put<ClusterQueue>(R"({"metadata": {"name": "q"}})");
    world.put<ResourceFlavor>(R"({"metadata": {"name": "f"}})");
    world.put<AdmissionCheck>(R"({"metadata": {"name": "c"}})");
    start();
    EXPECT_EQ(world.find<ClusterQueue>("", "q")->metadata.finalizers[0], api::kueue::kResourceInUseFinalizer);
    EXPECT_EQ(world.find<ResourceFlavor>("", "f")->metadata.finalizers[0], api::kueue::kResourceInUseFinalizer);
    EXPECT_EQ(world.find<AdmissionCheck>("", "c")->metadata.finalizers[0], api::kueue::kResourceInUseFinalizer);
    world.calls.clear();
    loop.run_for(10s);
    EXPECT_THAT(world.calls, IsEmpty());
}

TEST_F(QueueObjectsTest, AFlavorGoesWhenTheLastQueueHasGivenItUp) {
    world.put<ClusterQueue>(kQueue);
    world.put<ResourceFlavor>(R"({"metadata": {"name": "f", )" + kHeld + "}}");
    start();
    world.remove_now<ResourceFlavor>("", "f");
    loop.run_for(5s);
    ASSERT_TRUE(world.find<ResourceFlavor>("", "f"));
    EXPECT_THAT(told(), ElementsAre("It is still used by ClusterQueue q"));
    world.put<ClusterQueue>(R"({"metadata": {"name": "q", "generation": 2, )" + kHeld + "}}");
    loop.run_for(1s);
    EXPECT_FALSE(world.find<ResourceFlavor>("", "f"));
}

TEST_F(QueueObjectsTest, AnUnusedCheckGoesAtOnce) {
    world.put<AdmissionCheck>(R"({"metadata": {"name": "other", )" + kHeld + "}}");
    world.put<AdmissionCheck>(R"({"metadata": {"name": "c", )" + kHeld + "}}");
    world.put<ClusterQueue>(kQueue);
    start();
    world.remove_now<AdmissionCheck>("", "other");
    world.remove_now<AdmissionCheck>("", "c");
    loop.run_for(1s);
    EXPECT_FALSE(world.find<AdmissionCheck>("", "other"));
    EXPECT_TRUE(world.find<AdmissionCheck>("", "c"));
}

TEST_F(QueueObjectsTest, AQueueGoesWhenItsLastWorkloadHasFinished) {
    world.put<ClusterQueue>(kQueue);
    put_workload("False");
    start();
    world.remove_now<ClusterQueue>("", "q");
    loop.run_for(5s);
    ASSERT_TRUE(world.find<ClusterQueue>("", "q"));
    EXPECT_THAT(told(), ElementsAre("It is still used by Workload n/w"));
    close_queue();
    put_workload("True");
    loop.run_for(1s);
    EXPECT_FALSE(world.find<ClusterQueue>("", "q"));
}

TEST_F(QueueObjectsTest, AQueueStaysUntilAdmissionToItHasEnded) {
    world.put<ClusterQueue>(kQueue);
    start();
    world.remove_now<ClusterQueue>("", "q");
    loop.run_for(5s);
    EXPECT_TRUE(world.find<ClusterQueue>("", "q"));
    close_queue();
    loop.run_for(1s);
    EXPECT_FALSE(world.find<ClusterQueue>("", "q"));
}

TEST_F(QueueObjectsTest, AFailedWriteIsTriedAgain) {
    world.put<ResourceFlavor>(R"({"metadata": {"name": "f"}})");
    world.fail("patch resourceflavors", Code::kUnavailable, 2);
    start();
    EXPECT_EQ(world.find<ResourceFlavor>("", "f")->metadata.finalizers.size(), 1u);
}

TEST(Holding, NamesAFewOfThoseWhoUseIt) {
    api::meta::ObjectMeta metadata;
    metadata.finalizers.edit().emplace_back(api::kueue::kResourceInUseFinalizer);
    metadata.deletion_timestamp = api::Time::from_unix_seconds(1);
    const auto plan =
        queue::decide_hold(metadata, [] { return std::vector<std::string>{"a", "b", "c", "d", "e", "f"}; });
    EXPECT_EQ(plan.why, "It is still used by a, b, c, d, e and others");
    EXPECT_FALSE(plan.release);
    metadata.finalizers.edit()[0] = "example.com/mine";
    EXPECT_EQ(queue::decide_hold(metadata, [] { return std::vector<std::string>{}; }), queue::HoldPlan{});
}

}  // namespace objects_controller_test
}  // namespace muster::controllers
