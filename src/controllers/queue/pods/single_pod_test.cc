// KEP-976, story 1: a pod alone.
#include <gtest/gtest.h>

#include "controllers/queue/pods/decide.h"
#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace single_pod_test {

namespace kn = api::kueue;

TEST(SinglePod, IsAdmittedRunsAndIsCounted) {
    PodsTestWorld world{Text()};
    world.add("foo");
    EXPECT_EQ(world.settle(), 1);
    ASSERT_TRUE(world.workload);
    EXPECT_TRUE(world.workload->metadata.name.view().starts_with("pod-foo-"));
    EXPECT_EQ(world.workload->spec.pod_sets[0].name, "main");
    EXPECT_TRUE(*world.workload->metadata.owner_references[0].controller);
    EXPECT_TRUE(world.started().empty());

    world.flavors[Text("f")].spec.node_labels.set("tier", "spot");
    api::core::Toleration toleration;
    toleration.key = "spot";
    toleration.operator_ = "Exists";
    world.flavors[Text("f")].spec.tolerations.edit().push_back(toleration);
    world.admit();
    EXPECT_EQ(world.settle(), 1);
    EXPECT_EQ(world.started(), Strings{"foo"});
    EXPECT_EQ(*world.pods["foo"].spec.node_selector.find("tier"), "spot");
    EXPECT_EQ(world.pods["foo"].spec.tolerations.back(), toleration);
    EXPECT_EQ(*world.pods["foo"].metadata.labels.find(kn::kPodSetLabel), "main");

    world.run("foo");
    EXPECT_EQ(world.settle(), 0);
    EXPECT_EQ(world.held(), Strings{"foo"});
    world.end("foo", "Succeeded");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "Succeeded");
    EXPECT_TRUE(world.held().empty());
}

TEST(SinglePod, KeepsFieldsThatWeDoNotKnowAndSoDoesItsWorkload) {
    PodsTestWorld world{Text()};
    api::core::Pod& pod = world.add("foo");
    pod.spec.residue.add(R"(,"unknown-1":1)");
    pod.spec.containers.edit()[0].residue.add(R"(,"unknown-2":2)");
    world.settle();
    ASSERT_TRUE(world.workload);
    const api::core::PodSpec& queued = world.workload->spec.pod_sets[0].template_.spec;
    EXPECT_EQ(queued.residue.json(), R"(,"unknown-1":1)");
    EXPECT_EQ(queued.containers[0].residue.json(), R"(,"unknown-2":2)");
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), Strings{"foo"});
    EXPECT_EQ(world.pods["foo"].spec.residue, queued.residue);
    EXPECT_EQ(world.pods["foo"].spec.containers[0].residue, queued.containers[0].residue);
}

TEST(SinglePod, WhoseWorkloadHasLostItsOwnerOwnsItAgain) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    world.workload->metadata.owner_references = {};
    EXPECT_EQ(world.settle(), 1);
    ASSERT_EQ(world.workload->metadata.owner_references.size(), 1u);
    EXPECT_EQ(world.workload->metadata.owner_references[0].uid, world.pods["foo"].metadata.uid);
}

TEST(SinglePod, ThatLeavesItsWorkloadBehindIsCountedAllTheSame) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    world.admit();
    world.settle();
    world.run("foo");
    world.remove("foo");
    world.workload->metadata.owner_references = {};
    EXPECT_EQ(world.settle(), 0) << "it is not made the owner again, as it is being deleted";
    world.end("foo", "Failed");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "Failed");
    EXPECT_TRUE(world.held().empty());
}

TEST(SinglePod, ThatIsDeletedWhileItWaitsGoesAtOnce) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    world.remove("foo");
    world.settle();
    EXPECT_TRUE(world.pods.empty());
    EXPECT_TRUE(holds(world, "Finished"));  // its quota is free before the garbage collector comes
}

TEST(SinglePod, ThatIsEvictedIsStoppedAndItsQuotaGivenBack) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    world.admit();
    world.settle();
    world.run("foo");
    world.evict();
    world.settle();
    EXPECT_TRUE(holds(world, "QuotaReserved")) << "it still runs";
    world.end("foo", "Failed");
    world.settle();
    EXPECT_TRUE(world.pods.empty()) << "no finalizer is left";
    EXPECT_TRUE(holds(world, "Finished"));
}

TEST(SinglePod, ThatIsDeletedByForceIsGoneBeforeItsQuotaIsFree) {
    for (const bool evicted : {true, false}) {
        PodsTestWorld world{Text()};
        world.add("foo");
        world.settle();
        world.admit();
        world.settle();
        world.run("foo");
        if (evicted) world.evict();
        world.remove_by_force("foo");
        world.settle();
        const GroupPlan waits = world.decide();
        ASSERT_TRUE(waits.wake_at) << evicted;
        world.now = *waits.wake_at;
        world.carry_out(world.decide());
        EXPECT_TRUE(world.pods.empty()) << evicted;
        EXPECT_TRUE(holds(world, "QuotaReserved")) << evicted;
        EXPECT_FALSE(holds(world, "Finished")) << evicted;
        world.settle();
        EXPECT_TRUE(holds(world, "Finished")) << evicted;
    }
}

TEST(SinglePod, ThatIsEvictedBeforeItStartsGoesOnWaiting) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    world.admit();
    world.evict();
    world.settle();
    EXPECT_FALSE(holds(world, "QuotaReserved"));
    EXPECT_FALSE(holds(world, "Finished"));
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), Strings{"foo"});
}

TEST(SinglePod, ThatLeavesGetsNoWorkload) {
    for (const bool runs : {false, true}) {
        PodsTestWorld world{Text()};
        world.add("foo");
        world.settle();
        if (runs) {
            world.admit();
            world.settle();
            world.run("foo");
        }
        world.remove("foo");
        world.workload.reset();
        const GroupPlan plan = world.decide();
        EXPECT_FALSE(plan.create) << runs;
        world.settle();
        EXPECT_FALSE(world.workload) << runs;
    }
}

TEST(SinglePod, ThatLeavesDoesNotQueueAgain) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    const auto made = *world.workload;
    world.admit();
    world.settle();
    world.run("foo");
    world.remove("foo");
    world.settle();
    EXPECT_TRUE(holds(world, "QuotaReserved")) << "it still runs";
    // As a request that comes late would make it again.
    world.workload = made;
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
    EXPECT_TRUE(world.held().empty());
}

TEST(SinglePod, OnANodeThatNeverAnswersDoesNotQueueAgain) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.settle();
    world.admit();
    world.settle();
    world.run("foo");
    world.evict();
    world.settle();
    world.now = *world.decide().wake_at;
    const GroupPlan plan = world.decide();
    ASSERT_TRUE(plan.status);
    EXPECT_FALSE(has_reservation(*plan.status));
    EXPECT_TRUE(is_finished(*plan.status)) << "in one write, or it would be admitted in between";
}

TEST(SinglePod, DoesNotTakeAForeignWorkloadOfItsName) {
    PodsTestWorld world{Text()};
    world.add("foo");
    world.workload = api::kueue::Workload();
    EXPECT_EQ(world.settle(), 0);
    ASSERT_EQ(world.told.size(), 1u);
    EXPECT_TRUE(world.told[0].starts_with("WorkloadNameConflict: "));
    world.remove("foo");
    world.settle();
    EXPECT_TRUE(world.pods.empty());
}

}  // namespace single_pod_test
}  // namespace muster::controllers::podqueue
