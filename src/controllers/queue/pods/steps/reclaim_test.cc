#include "controllers/queue/pods/steps/reclaim.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace reclaim_test {

constexpr int kAsBefore = -1;

// How many pods the group gives back in all.
int reclaimed(PodsTestWorld& world) {
    const auto given = decide_reclaim(world.survey());
    if (!given) return kAsBefore;
    int sum = 0;
    for (const auto& one : *given) sum += one.count;
    return sum;
}

void set_given_back(PodsTestWorld& world, int count) {
    api::kueue::ReclaimablePod one;
    one.name = world.workload->spec.pod_sets[0].name;
    one.count = count;
    world.workload->status.reclaimable_pods = List<api::kueue::ReclaimablePod>{one};
}

TEST(ReclaimStep, GivesBackTheQuotaOfPodsThatHaveSucceeded) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        int given_back;
    } kCases[] = {
        {"all run", [](PodsTestWorld&) {}, kAsBefore},
        {"one has succeeded", [](PodsTestWorld& it) { it.end("p0", "Succeeded"); }, 1},
        {"one has failed", [](PodsTestWorld& it) { it.end("p0", "Failed"); }, kAsBefore},
        {"more have succeeded than its set has quota for",
         [](PodsTestWorld& it) {
             for (const char* name : {"p0", "p1", "p2"}) it.end(name, "Succeeded");
             it.workload->spec.pod_sets.edit()[0].count = 2;
         },
         2},
        {"one has succeeded, and its quota was given back before",
         [](PodsTestWorld& it) {
             it.end("p0", "Succeeded");
             set_given_back(it, 1);
         },
         kAsBefore},
        {"more was given back than has succeeded, and quota is held", [](PodsTestWorld& it) { set_given_back(it, 2); },
         kAsBefore},
        {"more was given back than has succeeded, and no quota is held",
         [](PodsTestWorld& it) {
             set_given_back(it, 2);
             give_back_quota(it.workload->status, 1, it.now);
         },
         0},
        {"one has succeeded, and the group serves",
         [](PodsTestWorld& it) {
             it.pods.at("p0").metadata.annotations.set(api::kueue::kPodGroupServingAnnotation, "true");
             it.end("p0", "Succeeded");
         },
         kAsBefore},
    };
    for (const auto& [sentence, happens, given_back] : kCases) {
        PodsTestWorld world;
        world.make_running(3);
        happens(world);
        EXPECT_EQ(reclaimed(world), given_back) << sentence;
    }
}

TEST(ReclaimStep, LeavesASinglePodAlone) {
    PodsTestWorld world{Text()};
    world.add("a");
    world.settle();
    world.admit();
    world.settle();
    world.end("a", "Succeeded");
    EXPECT_EQ(reclaimed(world), kAsBefore);
}

}  // namespace reclaim_test
}  // namespace muster::controllers::podqueue
