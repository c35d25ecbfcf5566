#include "controllers/queue/pods/steps/verdict.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace verdict_test {

namespace kn = api::kueue;

std::string describe(const Verdict& verdict) {
    switch (verdict.course) {
        case Course::kLeave: return "leave";
        case Course::kFinish: return "finish " + verdict.ending.reason + ": " + verdict.ending.message;
        case Course::kStop: return "stop";
        case Course::kWait: return "wait";
        case Course::kGoOn: return "go on";
    }
    return "unknown";
}

struct Case {
    const char* sentence;
    std::function<void(PodsTestWorld&)> happens;
    const char* verdict;
};

TEST(GroupVerdict, OfAGroupThatRuns) {
    const Case kCases[] = {
        {"all run", [](PodsTestWorld&) {}, "go on"},
        {"one has succeeded", [](PodsTestWorld& it) { it.end("p0", "Succeeded"); }, "go on"},
        {"all have succeeded",
         [](PodsTestWorld& it) {
             it.end("p0", "Succeeded");
             it.end("p1", "Succeeded");
         },
         "finish Succeeded: Pods succeeded: 2/2."},
        {"both have failed, and may be replaced",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.end("p1", "Failed");
         },
         "go on"},
        {"both have failed, and one must not be replaced",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.end("p1", "Failed");
             it.pods.at("p0").metadata.annotations.set(kn::kRetriableInGroupAnnotation, "false");
         },
         "finish Failed: Pods succeeded: 0/2."},
        {"one has succeeded, and its owner deletes all",
         [](PodsTestWorld& it) {
             it.end("p0", "Succeeded");
             it.end("p1", "Failed");
             it.remove("p0");
             it.remove("p1");
         },
         "finish OwnerNotFound"},
        {"it is evicted", [](PodsTestWorld& it) { it.evict(); }, "stop"},
        {"it runs, and its quota is gone",
         [](PodsTestWorld& it) { set_condition(it.workload->status, "Admitted", false, "x", "", 1, it.now); }, "stop"},
        {"it serves, and all have succeeded",
         [](PodsTestWorld& it) {
             it.pods.at("p0").metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
             it.end("p0", "Succeeded");
             it.end("p1", "Succeeded");
         },
         "go on"},
    };
    for (const Case& one : kCases) {
        PodsTestWorld world;
        world.make_running(2);
        one.happens(world);
        EXPECT_TRUE(describe(decide_verdict(world.survey())).starts_with(one.verdict))
            << one.sentence << ": " << describe(decide_verdict(world.survey()));
    }
}

TEST(GroupVerdict, OfAWorkloadWithoutPods) {
    const Case kCases[] = {
        {"its pods are gone", [](PodsTestWorld&) {}, "finish OwnerNotFound"},
        {"nothing holds it", [](PodsTestWorld& it) { it.workload->metadata.finalizers = {}; }, "leave"},
        {"it is evicted and has owners", [](PodsTestWorld& it) { it.evict(); }, "finish OwnerNotFound"},
        {"it is evicted, its owners are dropped, and it has quota",
         [](PodsTestWorld& it) {
             it.evict();
             it.workload->metadata.owner_references = {};
         },
         "stop"},
        {"it is evicted, its owners are dropped, and it has none",
         [](PodsTestWorld& it) {
             it.evict();
             give_back_quota(it.workload->status, 1, it.now);
             it.workload->metadata.owner_references = {};
         },
         "wait"},
    };
    for (const Case& one : kCases) {
        PodsTestWorld world;
        world.make_running(2);
        world.pods.clear();
        one.happens(world);
        EXPECT_TRUE(describe(decide_verdict(world.survey())).starts_with(one.verdict))
            << one.sentence << ": " << describe(decide_verdict(world.survey()));
    }
}

TEST(GroupVerdict, OfASinglePod) {
    const Case kCases[] = {
        {"it runs", [](PodsTestWorld&) {}, "go on"},
        {"it has succeeded and says nothing", [](PodsTestWorld& it) { it.end("a", "Succeeded"); },
         "finish Succeeded: The pod succeeded"},
        {"it has failed and says why",
         [](PodsTestWorld& it) {
             it.end("a", "Failed");
             it.pods.at("a").status.message = "no disk";
         },
         "finish Failed: no disk"},
        {"it is deleted on its node", [](PodsTestWorld& it) { it.remove("a"); }, "go on"},
        {"it is deleted, and its quota is gone",
         [](PodsTestWorld& it) {
             it.remove("a");
             it.evict();
             give_back_quota(it.workload->status, 1, it.now);
         },
         "finish OwnerNotFound"},
    };
    for (const Case& one : kCases) {
        PodsTestWorld world{Text()};
        world.add("a");
        world.settle();
        world.admit();
        world.settle();
        world.run_all();
        one.happens(world);
        EXPECT_TRUE(describe(decide_verdict(world.survey())).starts_with(one.verdict))
            << one.sentence << ": " << describe(decide_verdict(world.survey()));
    }
}

}  // namespace verdict_test
}  // namespace muster::controllers::podqueue
