#include "controllers/queue/pods/steps/standing.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace standing_test {

namespace kn = api::kueue;

TEST(GroupStanding, CountsThePodsThatAreMissing) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        std::int32_t absent;
    } kCases[] = {
        {"all run", [](PodsTestWorld&) {}, 0},
        {"one has failed", [](PodsTestWorld& it) { it.end("p0", "Failed"); }, 1},
        {"one has succeeded", [](PodsTestWorld& it) { it.end("p0", "Succeeded"); }, 0},
        {"one is being deleted and still on its node", [](PodsTestWorld& it) { it.remove("p0"); }, 0},
        {"one is gone", [](PodsTestWorld& it) { it.pods.erase("p0"); }, 1},
        {"two are gone of a group that one pod is enough for",
         [](PodsTestWorld& it) {
             it.pods.at("p2").metadata.annotations.set(kn::kPodGroupFastAdmissionAnnotation, "true");
             it.pods.erase("p0");
             it.pods.erase("p1");
         },
         0},
    };
    for (const auto& [sentence, happens, absent] : kCases) {
        PodsTestWorld world;
        world.make_running(3);
        happens(world);
        EXPECT_EQ(world.survey().absent(), absent) << sentence;
    }
}

TEST(GroupStanding, LeavesOutWhatSucceededForAFormerWorkload) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    EXPECT_EQ(world.survey().members.size(), 2u);
    world.pods.at("p0").metadata.finalizers.reset();
    const Standing standing = world.survey();
    ASSERT_EQ(standing.members.size(), 1u);
    EXPECT_EQ(standing.members[0].pod->metadata.name, "p1");
    EXPECT_EQ(standing.unended, 1);
}

TEST(GroupStanding, CountsThePodsThatMayStillEnd) {
    PodsTestWorld world;
    world.make_running(4);
    world.end("p0", "Succeeded");
    world.end("p1", "Failed");
    world.remove("p2");
    world.add("waits", 4);
    world.add("lost", 4);
    world.remove("lost");
    const Standing standing = world.survey();
    EXPECT_EQ(standing.members.size(), 6u);
    EXPECT_EQ(standing.unended, 3) << "p2 is on its node, p3 runs, and one waits";
}

TEST(GroupStanding, OfASinglePodHasOneRoleWhateverTheSpecSays) {
    PodsTestWorld world{Text()};
    world.add("alone");
    world.settle();
    world.workload->spec.pod_sets.edit()[0].count = 5;
    const Standing standing = world.survey();
    ASSERT_EQ(standing.roles.size(), 1u);
    EXPECT_EQ(standing.roles[0].count, 1);
    EXPECT_EQ(standing.members[0].role, 0);
    EXPECT_FALSE(standing.is_group());
}

TEST(GroupStanding, ServesWhenAPodOrTheWorkloadSaysSo) {
    PodsTestWorld world;
    world.make_running(2);
    EXPECT_FALSE(world.survey().serving);
    world.pods.at("p0").metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
    EXPECT_TRUE(world.survey().serving);
    world.pods.erase("p0");
    EXPECT_FALSE(world.survey().serving);
}

TEST(GroupStanding, DoesNotCountOnADriverThatIsRejected) {
    PodsTestWorld world;
    world.add("driver").metadata.annotations.set(kn::kPodGroupSetsAnnotation, "- name: d\n- name: w\n  count: 2\n");
    world.settle();
    Standing standing = world.survey();
    EXPECT_TRUE(standing.driven);
    EXPECT_EQ(standing.absent(), 0) << "its workers are not waited for";
    standing.rejected.insert(standing.members[0].pod.get());
    EXPECT_EQ(standing.absent(), 1);
}

}  // namespace standing_test
}  // namespace muster::controllers::podqueue
