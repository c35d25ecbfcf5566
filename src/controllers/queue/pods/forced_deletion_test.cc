// Pods that are deleted by force, as an operator does when a node is gone.
#include <gtest/gtest.h>

#include "controllers/queue/pods/decide.h"
#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace forced_deletion_test {

TEST(PodGroup, LetsPodsGoThatWereDeletedByForceBeforeItsQuotaIsFree) {
    PodsTestWorld world;
    world.make_running(2);
    world.evict();
    world.settle();
    for (const char* name : {"p0", "p1"}) world.remove_by_force(name);
    const GroupPlan waits = world.decide();
    EXPECT_TRUE(waits.release.empty()) << "the node may still tell";
    ASSERT_TRUE(waits.wake_at);
    world.now = *waits.wake_at;
    world.carry_out(world.decide());
    EXPECT_TRUE(world.pods.empty());
    EXPECT_TRUE(holds(world, "QuotaReserved")) << "who gets it must not start beside pods that can be seen";
    world.settle();
    EXPECT_FALSE(holds(world, "QuotaReserved"));
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods")) << "the group waits for others in their place";
}

TEST(PodGroup, ThatRunsReplacesAPodThatWasDeletedByForce) {
    PodsTestWorld world;
    world.make_running(2);
    world.remove_by_force("p0");
    const GroupPlan waits = world.decide();
    ASSERT_TRUE(waits.wake_at);
    world.now = *waits.wake_at;
    world.settle();
    EXPECT_EQ(world.names(), Strings{"p1"});
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    world.add("p2", 2);
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"p1", "p2"}));
}

TEST(PodGroup, WithoutAWorkloadLetsPodsGoThatWereDeletedByForce) {
    PodsTestWorld world;
    world.make_running(1);
    world.workload.reset();
    world.remove_by_force("p0");
    const GroupPlan waits = world.decide();
    EXPECT_TRUE(waits.does_nothing());
    ASSERT_TRUE(waits.wake_at);
    world.now = *waits.wake_at;
    world.settle();
    EXPECT_TRUE(world.pods.empty());
}

}  // namespace forced_deletion_test
}  // namespace muster::controllers::podqueue
