#include "controllers/queue/pods/steps/reject.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace reject_test {

TEST(RejectStep, SelectsPodsThatTheGroupHasNoPlaceFor) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        Strings rejected;
        const char* reason;
    } kCases[] = {
        {"all have a place", [](PodsTestWorld&) {}, {}, ""},
        {"one more has come", [](PodsTestWorld& it) { it.add("late", 2); }, {"late"}, kExcess},
        {"one has come for one that failed",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.add("late", 2);
         },
         {},
         ""},
        {"one has come for one that still ends",
         [](PodsTestWorld& it) {
             it.remove("p0");
             it.add("late", 2);
         },
         {},
         ""},
        {"one of another shape has come",
         [](PodsTestWorld& it) { it.add("large", 2, "64"); },
         {"large"},
         kUnknownShape},
        {"one more has come, and no quota is held",
         [](PodsTestWorld& it) {
             it.add("late", 2);
             give_back_quota(it.workload->status, 1, it.now);
         },
         {},
         ""},
    };
    for (const auto& [sentence, happens, rejected, reason] : kCases) {
        PodsTestWorld world;
        world.make_running(2);
        happens(world);
        const Rejection rejection = decide_rejection(world.survey());
        EXPECT_EQ(names_of(rejection.remove), rejected) << sentence;
        for (const PodRemoval& removal : rejection.remove) EXPECT_EQ(removal.reason, reason) << sentence;
    }
}

TEST(RejectStep, LeavesTheRejectedOutOfTheirRole) {
    PodsTestWorld world;
    world.make_running(2);
    world.add("late", 2);
    world.now = world.now + 1s;
    world.add("later", 2);
    const Standing standing = world.survey();
    EXPECT_EQ(standing.roles[0].live.size(), 4u);
    const Rejection rejection = decide_rejection(standing);
    EXPECT_EQ(names_of(rejection.remove), (Strings{"later", "late"})) << "the youngest first";
    EXPECT_EQ(rejection.roles[0].live.size(), 2u);
}

TEST(RejectStep, NamesTheSetOfADrivenGroup) {
    PodsTestWorld world;
    world.add("driver").metadata.annotations.set(api::kueue::kPodGroupSetsAnnotation, "- name: d\n- name: w\n");
    world.settle();
    for (const char* name : {"w0", "w1", "w2"})
        world.add(name).metadata.labels.set(api::kueue::kPodGroupRoleAnnotation, "w");
    const Rejection rejection = decide_rejection(world.survey());
    ASSERT_EQ(names_of(rejection.remove), (Strings{"w2", "w1"}));
    EXPECT_EQ(rejection.remove[0].message, "The group has more pods of the set \"w\" than it announced");
}

}  // namespace reject_test
}  // namespace muster::controllers::podqueue
