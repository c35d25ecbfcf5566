#include "controllers/queue/pods/steps/replace.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace replace_test {

TEST(ReplaceStep, LetsThoseGoWhosePlaceIsTaken) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        Strings new_owners;
        Strings released;
    } kCases[] = {
        {"all run", [](PodsTestWorld&) {}, {}, {}},
        {"one has failed", [](PodsTestWorld& it) { it.end("p0", "Failed"); }, {}, {}},
        {"one has failed, and one has come",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.add("new", 3);
         },
         {"new"},
         {"p0"}},
        {"two have failed, and one has come: the first that failed goes",
         [](PodsTestWorld& it) {
             it.end("p1", "Failed");
             it.now = it.now + 1s;
             it.end("p0", "Failed");
             it.add("new", 3);
         },
         {"new"},
         {"p1"}},
        {"one that must not be replaced has failed, and one has come",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.pods.at("p0").metadata.annotations.set(api::kueue::kRetriableInGroupAnnotation, "false");
             it.add("new", 3);
         },
         {"new"},
         {}},
        {"one has failed, and the one that has come has failed, too",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.now = it.now + 1s;
             it.add("new", 3);
             it.end("new", "Failed");
         },
         {},
         {"p0"}},
        {"one has come and is being deleted",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.add("new", 3);
             it.remove("new");
         },
         {},
         {}},
    };
    for (const auto& [sentence, happens, new_owners, released] : kCases) {
        PodsTestWorld world;
        world.make_running(3);
        happens(world);
        const Replacement replacement = decide_replacement(world.survey());
        Strings owners;
        for (const auto& owner : replacement.add_owners) owners.push_back(owner.name.str());
        EXPECT_EQ(owners, new_owners) << sentence;
        EXPECT_EQ(names_of(replacement.release), released) << sentence;
    }
}

TEST(ReplaceStep, DoesNotMakeARejectedPodAnOwner) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Failed");
    world.add("new", 2);
    Standing standing = world.survey();
    for (const Member& member : standing.members)
        if (member.pod->metadata.name == "new") standing.rejected.insert(member.pod.get());
    EXPECT_TRUE(decide_replacement(standing).add_owners.empty());
}

TEST(ReplaceStep, LeavesASinglePodAlone) {
    PodsTestWorld world{Text()};
    world.add("a");
    world.settle();
    world.workload->metadata.owner_references = {};
    EXPECT_TRUE(decide_replacement(world.survey()).add_owners.empty());
}

}  // namespace replace_test
}  // namespace muster::controllers::podqueue
