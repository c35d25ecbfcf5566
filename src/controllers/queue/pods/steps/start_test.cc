#include "controllers/queue/pods/steps/start.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace start_test {

namespace kn = api::kueue;

void contradict(PodsTestWorld& world, const char* pod) {
    world.flavors[Text("f")].spec.node_labels.set("zone", "a");
    world.pods.at(pod).spec.node_selector.set("zone", "b");
    world.workload->spec.pod_sets.edit()[0].template_.spec.node_selector.set("zone", "b");
    for (auto& [name, one] : world.pods)
        if (is_gated(one)) one.spec.node_selector.set("zone", "b");
}

TEST(StartStep, LetsAsManyThroughAsThereIsQuotaFor) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        Strings started;
    } kCases[] = {
        {"it is not admitted", [](PodsTestWorld&) {}, {}},
        {"it is admitted", [](PodsTestWorld& it) { it.admit(); }, {"p0", "p1"}},
        {"a third pod waits",
         [](PodsTestWorld& it) {
             it.admit();
             it.add("p2", 2);
         },
         {"p0", "p1"}},
        {"one runs already",
         [](PodsTestWorld& it) {
             it.admit();
             it.settle();
             it.pods.erase("p1");
             it.add("new", 2);
         },
         {"new"}},
        {"its flavor is missing",
         [](PodsTestWorld& it) {
             it.admit();
             it.flavors.clear();
         },
         {}},
    };
    for (const auto& [sentence, happens, started] : kCases) {
        PodsTestWorld world;
        world.add_many(2, 2);
        world.settle();
        happens(world);
        EXPECT_EQ(names_of(decide_start(world.survey()).start), started) << sentence;
    }
}

TEST(StartStep, LooksAgainForAFlavorThatIsMissing) {
    PodsTestWorld world;
    world.add_many(1, 1);
    world.settle();
    world.admit();
    world.flavors.clear();
    const Starting starting = decide_start(world.survey());
    EXPECT_EQ(starting.wake_at, world.now + kLookAgain);
    ASSERT_EQ(starting.notes.size(), 1u);
    EXPECT_FALSE(starting.ending) << "it may come";
}

TEST(StartStep, EndsAGroupOfWhichOnePodCannotStart) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    world.admit();
    contradict(world, "p1");
    const Starting starting = decide_start(world.survey());
    ASSERT_TRUE(starting.ending);
    EXPECT_EQ(starting.ending->reason, kn::kFinishedFailedToStart);
    EXPECT_TRUE(starting.start.empty()) << "none starts without the others";
    EXPECT_TRUE(starting.remove.empty());
}

TEST(StartStep, RejectsAReplacementThatCannotStartWhileOthersRun) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p1", "Failed");
    world.add("new", 2);
    contradict(world, "new");
    const Starting starting = decide_start(world.survey());
    EXPECT_EQ(names_of(starting.remove), Strings{"new"});
    EXPECT_FALSE(starting.ending);
}

TEST(StartStep, PutsTheFinalizerBackThatAFormerWorkloadRemoved) {
    PodsTestWorld world;
    world.add_many(1, 1);
    world.settle();
    world.admit();
    world.pods.at("p0").metadata.finalizers.reset();
    const Starting starting = decide_start(world.survey());
    ASSERT_EQ(starting.start.size(), 1u);
    EXPECT_TRUE(is_held(*starting.start[0].draft));
    EXPECT_FALSE(is_gated(*starting.start[0].draft));
}

TEST(StartStep, LeavesTheGatesOfOthers) {
    PodsTestWorld world;
    api::core::PodSchedulingGate other;
    other.name = "example.dev/gate";
    world.add("p0", 1).spec.scheduling_gates.edit().push_back(other);
    world.settle();
    world.admit();
    const Starting starting = decide_start(world.survey());
    ASSERT_EQ(starting.start.size(), 1u);
    const auto& gates = starting.start[0].draft->spec.scheduling_gates;
    ASSERT_EQ(gates.size(), 1u);
    EXPECT_EQ(gates[0].name, "example.dev/gate");
}

}  // namespace start_test
}  // namespace muster::controllers::podqueue
