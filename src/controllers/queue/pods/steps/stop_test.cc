#include "controllers/queue/pods/steps/stop.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace stop_test {

TEST(StopStep, GivesQuotaBackWhenNothingRunsAnyMore) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        Strings removed;
        bool gives_back_quota;
        bool wakes;
    } kCases[] = {
        {"both run", [](PodsTestWorld&) {}, {"p0", "p1"}, false, false},
        {"one is being deleted, and its node has not answered",
         [](PodsTestWorld& it) { it.remove("p0"); },
         {"p1"},
         false,
         true},
        {"one is being deleted, and the other has ended",
         [](PodsTestWorld& it) {
             it.remove("p0");
             it.end("p1", "Failed");
         },
         {},
         false,
         true},
        {"the node has not answered for half a minute",
         [](PodsTestWorld& it) {
             it.remove("p0");
             it.end("p1", "Failed");
             it.now = it.now + 30s;
         },
         {},
         true,
         false},
        {"the node has not answered for half a minute, and the pod that was deleted by force can still be seen",
         [](PodsTestWorld& it) {
             it.remove_by_force("p0");
             it.end("p1", "Failed");
             it.now = it.now + 30s;
         },
         {},
         false,
         false},
        {"both have ended",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.end("p1", "Failed");
         },
         {},
         true,
         false},
    };
    for (const auto& [sentence, happens, removed, gives_back_quota, wakes] : kCases) {
        PodsTestWorld world;
        world.make_running(2);
        world.evict();
        happens(world);
        const Stopping stopping = decide_stop(world.survey());
        EXPECT_EQ(names_of(stopping.remove), removed) << sentence;
        EXPECT_EQ(stopping.gives_back_quota, gives_back_quota) << sentence;
        EXPECT_EQ(stopping.wake_at.has_value(), wakes) << sentence;
        EXPECT_FALSE(stopping.ending) << sentence << ": a group may come back";
    }
}

TEST(StopStep, WakesForThePodThatIsGivenUpFirst) {
    PodsTestWorld world;
    world.make_running(2);
    world.evict();
    world.remove("p0");
    const Instant first = world.now + 30s;
    world.now = world.now + 5s;
    world.remove("p1");
    EXPECT_EQ(decide_stop(world.survey()).wake_at, first);
}

TEST(StopStep, SaysWhyAPodIsStopped) {
    PodsTestWorld world;
    world.make_running(1);
    EXPECT_EQ(decide_stop(world.survey()).remove[0].reason, "NotAdmitted");
    world.evict("Preempted");
    EXPECT_EQ(decide_stop(world.survey()).remove[0].reason, "Preempted");
    EXPECT_EQ(decide_stop(world.survey()).remove[0].message, "made room for others");
}

TEST(StopStep, EndsTheWorkloadOfASinglePodThatRan) {
    PodsTestWorld world{Text()};
    world.add("a");
    world.settle();
    world.admit();
    world.settle();
    world.run("a");
    world.evict();
    EXPECT_FALSE(decide_stop(world.survey()).ending);
    world.remove("a");
    EXPECT_FALSE(decide_stop(world.survey()).ending) << "it still runs";
    world.now = world.now + 30s;
    EXPECT_EQ(decide_stop(world.survey()).ending, owner_not_found());
}

}  // namespace stop_test
}  // namespace muster::controllers::podqueue
