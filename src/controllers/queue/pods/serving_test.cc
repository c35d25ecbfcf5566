// Groups that are admitted by their first pod, and groups that serve.
#include <gtest/gtest.h>

#include "controllers/queue/pods/decide.h"
#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace serving_test {

namespace kn = api::kueue;

TEST(PodGroup, WithFastAdmissionIsAdmittedByItsFirstPod) {
    PodsTestWorld world;
    world.add("a", 3).metadata.annotations.set(kn::kPodGroupFastAdmissionAnnotation, "true");
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 3);
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), Strings{"a"});
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
    world.add("b", 3);
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"a", "b"}));
}

TEST(PodGroup, ThatServesNeverFinishesAndGivesNothingBack) {
    PodsTestWorld world;
    for (const char* name : {"a", "b"})
        world.add(name, 2).metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
    world.settle();
    world.admit();
    world.settle();
    world.run_all();
    world.remove("a");
    world.end("a", "Succeeded");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished"));
    EXPECT_TRUE(world.workload->status.reclaimable_pods.empty());
    EXPECT_EQ(world.names(), Strings{"b"}) << "so that its owner can make it again";
}

TEST(PodGroup, ThatServesGoesOnServingWhileWhoSaidSoIsGone) {
    PodsTestWorld world;
    world.add("a", 2).metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
    world.add("b", 2);
    world.settle();
    world.admit();
    world.settle();
    world.run_all();
    world.end("b", "Succeeded");
    world.remove("a");
    world.end("a", "Succeeded");
    world.settle();
    ASSERT_EQ(world.names(), Strings{"b"});
    EXPECT_TRUE(world.workload->status.reclaimable_pods.empty()) << "the next ones run with this quota";
    EXPECT_FALSE(holds(world, "Finished"));
}

TEST(PodGroup, ThatServesAndMayNotBeRetriedCanBeDeleted) {
    PodsTestWorld world;
    for (const char* name : {"a", "b"}) {
        api::core::Pod& pod = world.add(name, 2);
        pod.metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
        pod.metadata.annotations.set(kn::kRetriableInGroupAnnotation, "false");
    }
    world.settle();
    world.admit();
    world.settle();
    world.run_all();
    world.end("a", "Failed");
    world.settle();
    EXPECT_EQ(world.held(), (Strings{"a", "b"}));
    for (const char* name : {"a", "b"}) world.remove(name);
    world.end("b", "Succeeded");
    world.settle();
    EXPECT_TRUE(world.names().empty()) << "nothing else would ever let them go";
    EXPECT_TRUE(holds(world, "Finished"));
}

}  // namespace serving_test
}  // namespace muster::controllers::podqueue
