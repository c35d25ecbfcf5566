#include "controllers/queue/pods/group/roles.h"

#include <gtest/gtest.h>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace roles_test {

TEST(Roles, MayHaveAnyNumberOfPods) {
    PodsTestWorld world;
    world.add("small", 2, "1m");
    world.add("large", 2, "64");
    world.settle();
    ASSERT_TRUE(world.workload);
    std::vector<Member> members;
    for (const std::int32_t count : {-2147483647 - 1, -1, 0, 2147483647}) {
        for (auto& set : world.workload->spec.pod_sets.edit()) set.count = count;
        for (const Role& role : survey_roles(members, *world.workload)) {
            EXPECT_EQ(role.count, std::max(count, 0));
            EXPECT_EQ(role.absent(), std::max(count, 0));
            EXPECT_EQ(role.excess(), 0U);
            EXPECT_EQ(role.room(members), std::max(count, 0));
            EXPECT_EQ(role.replaced(), 0U);
        }
    }
    world.admit();
    EXPECT_GE(world.settle(), 0);
    EXPECT_TRUE(is_true(world.workload->status, api::kueue::kWorkloadWaitingForReplacementPods))
        << "their sum is not zero";
}

}  // namespace roles_test
}  // namespace muster::controllers::podqueue
