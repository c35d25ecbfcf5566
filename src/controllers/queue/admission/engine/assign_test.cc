#include "controllers/queue/admission/engine/assign.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "controllers/queue/admission/testing/engine_world.h"

namespace muster::controllers::queue {
namespace assign_test {

constexpr Amount kUnit = 1000;

EngineWorld two_flavors(Amount first, Amount second) {
    EngineWorld world;
    world.engine.set_flavor("spot", {});
    world.engine.set_queue(world.spec("q", {world.quota(first), world.quota(second, {}, {}, "spot")}));
    return world;
}

TEST(AssignFlavors, TakesTheFirstFlavorThatFits) {
    EngineWorld world = two_flavors(kUnit, 10 * kUnit);
    world.submit("small", "q", kUnit);
    world.submit("next", "q", kUnit);
    EXPECT_EQ(world.decide(), "small next@spot");
}

TEST(AssignFlavors, SaysWhatIsMissingInEachFlavor) {
    EngineWorld world = two_flavors(2 * kUnit, 4 * kUnit);
    world.run("r", "q", kUnit);
    world.run("s", "q", 3 * kUnit, 0, "spot");
    world.submit("w", "q", 2 * kUnit);
    EXPECT_EQ(world.decide(), "");
    EXPECT_EQ(
        world.why("w"),
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed, "
        "insufficient unused quota for cpu in flavor spot, 1 more needed");
}

struct PlacementCase {
    const char* sentence;
    const char* flavor_labels;  // of spot, in YAML
    const char* flavor_taints;
    const char* pod;
    bool fits;
};

TEST(AssignFlavors, PodsGoOnlyToFlavorsWhoseNodesTheyAllow) {
    const PlacementCase cases[] = {
        {"without wishes any flavor will do", "{type: spot}", "[]", "{}", true},
        {"a node selector that agrees", "{type: spot}", "[]", "{nodeSelector: {type: spot}}", true},
        {"a node selector that asks for other nodes", "{type: spot}", "[]", "{nodeSelector: {type: big}}", false},
        {"a node selector for labels that the flavor says nothing of", "{type: spot}", "[]",
         "{nodeSelector: {disk: ssd}}", true},
        {"a taint that is tolerated", "{}", "[{key: spot, value: 'true', effect: NoSchedule}]",
         "{tolerations: [{key: spot, operator: Exists}]}", true},
        {"a taint that is not tolerated", "{}", "[{key: spot, value: 'true', effect: NoSchedule}]", "{}", false},
        {"a taint that only discourages", "{}", "[{key: spot, effect: PreferNoSchedule}]", "{}", true},
        {"a required affinity that agrees", "{zone: a}", "[]",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]}}}}",
         true},
        {"a required affinity that asks for other nodes", "{zone: c}", "[]",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]}}}}",
         false},
        {"one of several terms is enough", "{zone: c}", "[]",
         "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
         "[{matchExpressions: [{key: zone, operator: In, values: [a]}]}, {matchExpressions: [{key: zone, operator: "
         "NotIn, values: [a]}]}]}}}}",
         true},
    };
    for (const PlacementCase& it : cases) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        Flavor flavor;
        const std::string wrapped = std::string("{spec: {nodeSelector: ") + it.flavor_labels + "}}";
        flavor.node_labels = api::from_yaml<api::core::Pod>(wrapped).value().spec.node_selector;
        const std::string tainted = std::string("{spec: {taints: ") + it.flavor_taints + "}}";
        flavor.node_taints = api::from_yaml<api::core::Node>(tainted).value().spec.taints;
        world.engine.set_flavor("spot", flavor);
        world.engine.set_queue(world.spec("q", {world.quota(10 * kUnit, {}, {}, "spot")}));
        Shape shape = world.shape(kUnit);
        const auto pod = api::from_yaml<api::core::Pod>(std::string("{spec: ") + it.pod + "}").value();
        Placement& placement = shape.pod_sets[0].placement;
        placement.node_selector = pod.spec.node_selector;
        placement.tolerations = pod.spec.tolerations;
        if (pod.spec.affinity && pod.spec.affinity->node_affinity)
            placement.required = pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
        world.submit("w", "q", std::move(shape));
        EXPECT_EQ(world.decide(), it.fits ? "w@spot" : "");
    }
}

TEST(AssignFlavors, AFlavorThatIsNotThereIsNamed) {
    EngineWorld world;
    world.engine.set_queue(world.spec("q", {world.quota(kUnit, {}, {}, "gone")}));
    world.submit("w", "q", kUnit);
    EXPECT_EQ(world.decide(), "");
    EXPECT_EQ(world.why("w"), "couldn't assign flavors to pod set main: flavor gone not found");
}

TEST(AssignFlavors, AResourceWithoutQuotaIsNamed) {
    EngineWorld world;
    world.queue("q", kUnit);
    Shape shape = world.shape(kUnit);
    shape.pod_sets[0].per_pod.emplace_back("gpu", 1);
    world.submit("w", "q", std::move(shape));
    EXPECT_EQ(world.decide(), "");
    EXPECT_EQ(world.why("w"), "couldn't assign flavors to pod set main: resource gpu unavailable in ClusterQueue");
}

TEST(AssignFlavors, AllResourcesOfAGroupComeFromOneFlavor) {
    EngineWorld world;
    world.engine.set_flavor("spot", {});
    world.engine.set_queue(
        world.spec("q", {world.quota(10 * kUnit), world.quota(1, {}, {}, "default", "gpu"),
                         world.quota(10 * kUnit, {}, {}, "spot"), world.quota(8, {}, {}, "spot", "gpu")}));
    Shape shape = world.shape(kUnit);
    shape.pod_sets[0].per_pod.emplace_back("gpu", 2);
    world.submit("w", "q", std::move(shape));
    EXPECT_EQ(world.decide(), "w@spot");
}

TEST(AssignFlavors, PodsAreCountedWhereTheQueueHasQuotaForThem) {
    EngineWorld world;
    world.engine.set_queue(world.spec("q", {world.quota(100 * kUnit), world.quota(3, {}, {}, "default", "pods")}));
    world.submit("four", "q", world.shape(kUnit, 4));
    world.submit("three", "q", world.shape(kUnit, 3));
    EXPECT_EQ(world.decide(), "three*3");
}

TEST(AssignFlavors, SetsOfOneWorkloadAreCountedTogether) {
    EngineWorld world;
    world.queue("q", 5 * kUnit);
    Shape shape = world.shape(3 * kUnit);
    shape.pod_sets.push_back(shape.pod_sets[0]);
    shape.pod_sets[1].name = "workers";
    world.submit("w", "q", shape);
    EXPECT_EQ(world.decide(), "");
    EXPECT_EQ(world.why("w"),
              "couldn't assign flavors to pod set workers: insufficient quota for cpu in flavor default, "
              "previously considered podsets requests (3) + current podset request (3) > maximum capacity (5)");
}

TEST(AssignFlavors, ComesWithFewerPodsWhenItMay) {
    EngineWorld world;
    world.queue("q", 7 * kUnit);
    Shape shape = world.shape(kUnit, 10);
    shape.pod_sets[0].min_count = 3;
    world.submit("w", "q", shape);
    EXPECT_EQ(world.decide(), "w*7");
}

TEST(AssignFlavors, ComesWithFewerOfTheHighestNumbersOfPods) {
    EngineWorld world;
    world.queue("q", 5 * kUnit);
    Shape shape = world.shape(1, 2147483647);
    shape.pod_sets[0].min_count = 0;
    for (const char* name : {"second", "third", "fourth"}) {
        shape.pod_sets.push_back(shape.pod_sets[0]);
        shape.pod_sets.back().name = name;
    }
    world.submit("w", "q", shape);
    EXPECT_EQ(world.decide(), "w*1250");
}

TEST(AssignFlavors, FewerThanItsMinimumItDoesNotTake) {
    EngineWorld world;
    world.queue("q", 2 * kUnit);
    Shape shape = world.shape(kUnit, 10);
    shape.pod_sets[0].min_count = 3;
    world.submit("w", "q", shape);
    EXPECT_EQ(world.decide(), "");
}

struct FungibilityCase {
    const char* sentence;
    bool next_rather_than_borrow;
    bool next_rather_than_preempt;
    const char* plan;
};

TEST(AssignFlavors, FungibilitySaysWhetherToGoOnToTheNextFlavor) {
    const FungibilityCase borrowing[] = {
        {"stops where it can borrow", false, true, "w"},
        {"goes on when it would have to borrow", true, true, "w@spot"},
    };
    for (const FungibilityCase& it : borrowing) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        world.engine.set_flavor("spot", {});
        QueueSpec spec = world.spec("q", {world.quota(kUnit), world.quota(5 * kUnit, {}, {}, "spot")}, "team");
        spec.policy.next_flavor_rather_than_borrow = it.next_rather_than_borrow;
        world.engine.set_queue(spec);
        world.queue("lender", 5 * kUnit, "team");
        world.submit("w", "q", 2 * kUnit);
        EXPECT_EQ(world.decide(), it.plan);
    }
    const FungibilityCase preempting[] = {
        {"goes on when it would have to preempt", false, true, "w@spot"},
        {"stops where it can preempt", false, false, "-low(by w)"},
    };
    for (const FungibilityCase& it : preempting) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        world.engine.set_flavor("spot", {});
        QueueSpec spec = world.spec("q", {world.quota(2 * kUnit), world.quota(2 * kUnit, {}, {}, "spot")});
        spec.policy.within_queue = PreemptPolicy::kLowerPriority;
        spec.policy.next_flavor_rather_than_preempt = it.next_rather_than_preempt;
        world.engine.set_queue(spec);
        world.run("low", "q", 2 * kUnit);
        world.submit("w", "q", 2 * kUnit, 10);
        EXPECT_EQ(world.decide(), it.plan);
    }
}

TEST(AssignFlavors, PreferenceSaysWhetherItRatherBorrowsOrPreempts) {
    for (const bool rather_preempts : {false, true}) {
        SCOPED_TRACE(rather_preempts);
        EngineWorld world;
        world.engine.set_flavor("spot", {});
        // In the first flavor it would have to borrow, in the second to preempt; both are looked at.
        QueueSpec spec = world.spec("q", {world.quota(kUnit), world.quota(2 * kUnit, 0, {}, "spot")}, "team");
        spec.policy.within_queue = PreemptPolicy::kLowerPriority;
        spec.policy.next_flavor_rather_than_borrow = true;
        spec.policy.next_flavor_rather_than_preempt = true;
        spec.policy.preempt_rather_than_borrow = rather_preempts;
        world.engine.set_queue(spec);
        world.queue("lender", 5 * kUnit, "team");
        world.run("low", "q", 2 * kUnit, 0, "spot");
        world.submit("w", "q", 2 * kUnit, 10);
        EXPECT_EQ(world.decide(), rather_preempts ? "-low(by w)" : "w");
    }
}

TEST(AssignFlavors, AFlavorInWhichPreemptionIsOfNoUseDoesNotEndTheSearch) {
    EngineWorld world;
    world.engine.set_flavor("spot", {});
    QueueSpec spec = world.spec("q", {world.quota(2 * kUnit), world.quota(2 * kUnit, {}, {}, "spot")});
    spec.policy.within_queue = PreemptPolicy::kLowerPriority;
    spec.policy.next_flavor_rather_than_preempt = false;
    world.engine.set_queue(spec);
    world.run("high", "q", 2 * kUnit, 100);
    world.run("low", "q", 2 * kUnit, 1, "spot");
    world.submit("w", "q", 2 * kUnit, 10);
    EXPECT_EQ(world.decide(), "-low(by w)");
}

TEST(AssignFlavors, RoomIsMadeForOneResourceThoughAnotherIsBorrowedWhateverIsPreferred) {
    for (const bool preempt_rather_than_borrow : {false, true}) {
        EngineWorld world;
        QueueSpec mine = world.spec("mine", {world.quota(4), world.quota(0, {}, {}, "default", "memory")}, "team");
        mine.policy.reclaim = PreemptPolicy::kAny;
        mine.policy.preempt_rather_than_borrow = preempt_rather_than_borrow;
        world.engine.set_queue(mine);
        world.engine.set_queue(
            world.spec("other", {world.quota(0), world.quota(4, {}, {}, "default", "memory")}, "team"));
        world.submit("r", "other", world.shape_with_memory(4, 0));
        world.decide();
        world.submit("w", "mine", world.shape_with_memory(4, 4));
        // Reclaiming while borrowing something else takes fair sharing or a policy that allows it.
        EXPECT_EQ(world.decide(), "");
        EXPECT_EQ(
            world.why("w"),
            "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 4m more "
            "needed");
    }
}

}  // namespace assign_test
}  // namespace muster::controllers::queue
