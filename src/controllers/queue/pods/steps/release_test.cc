#include "controllers/queue/pods/steps/release.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace release_test {

namespace kn = api::kueue;

TEST(ReleaseStep, LetsDeletedPodsGoThatCannotRunAnyMore) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        Strings released;
    } kCases[] = {
        {"both run", [](PodsTestWorld&) {}, {}},
        {"one is being deleted, and its node has not answered", [](PodsTestWorld& it) { it.remove("p0"); }, {}},
        {"one was deleted by force, and its node has not answered",
         [](PodsTestWorld& it) { it.remove_by_force("p0"); },
         {}},
        {"one was deleted by force, and its node has not answered for half a minute",
         [](PodsTestWorld& it) {
             it.remove_by_force("p0");
             it.now = it.now + 30s;
         },
         {"p0"}},
        {"one was deleted with time to end, and its node has not answered for half a minute",
         [](PodsTestWorld& it) {
             it.remove("p0");
             it.now = it.now + 30s;
         },
         {}},
        {"one was deleted and has failed",
         [](PodsTestWorld& it) {
             it.remove("p0");
             it.end("p0", "Failed");
         },
         {"p0"}},
        {"one was deleted and has succeeded: it counts until the group has finished",
         [](PodsTestWorld& it) {
             it.remove("p0");
             it.end("p0", "Succeeded");
         },
         {}},
        {"one was deleted and has succeeded, and the group serves",
         [](PodsTestWorld& it) {
             it.pods.at("p1").metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
             it.remove("p0");
             it.end("p0", "Succeeded");
         },
         {"p0"}},
        {"one has failed, and is kept until it is replaced", [](PodsTestWorld& it) { it.end("p0", "Failed"); }, {}},
        {"one has failed, and the group is evicted",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.evict();
         },
         {"p0"}},
        {"one that must not be replaced has failed, and the group is evicted",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.pods.at("p0").metadata.annotations.set(kn::kRetriableInGroupAnnotation, "false");
             it.evict();
         },
         {}},
    };
    for (const auto& [sentence, happens, released] : kCases) {
        PodsTestWorld world;
        world.make_running(2);
        happens(world);
        EXPECT_EQ(names_of(decide_release(world.survey()).pods), released) << sentence;
    }
}

TEST(ReleaseStep, DropsTheOwnersThatWereStopped) {
    PodsTestWorld world;
    world.make_running(2);
    world.evict();
    world.carry_out(world.decide());
    world.end("p0", "Failed");
    const Release release = decide_release(world.survey());
    EXPECT_EQ(names_of(release.pods), Strings{"p0"});
    ASSERT_EQ(release.remove_owners.size(), 1u) << "the Workload must not be collected with its last pod";
    EXPECT_EQ(release.remove_owners[0], world.pods.at("p0").metadata.uid);
}

TEST(ReleaseStep, KeepsTheOwnersThatUsersDelete) {
    PodsTestWorld world;
    world.make_running(2);
    world.remove("p0");
    world.end("p0", "Failed");
    EXPECT_TRUE(decide_release(world.survey()).remove_owners.empty());
}

}  // namespace release_test
}  // namespace muster::controllers::podqueue
