#include "controllers/queue/admission/engine/engine.h"

#include <gtest/gtest.h>

#include "controllers/queue/admission/testing/engine_world.h"

namespace muster::controllers::queue {
namespace engine_test {

// cpu is in thousandths.
constexpr Amount kCore = 1000;

TEST(AdmissionEngine, AdmitsAllThatFitsInOneDecision) {
    EngineWorld world;
    world.queue("q", 10 * kCore);
    for (int i = 0; i < 12; ++i) world.submit("w" + std::to_string(i), "q", kCore);
    EXPECT_EQ(world.decide(), "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9");
    EXPECT_EQ(world.decide(), "") << "a plan that is counted leaves nothing to plan";
    EXPECT_EQ(
        world.why("w10"),
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed");
    EXPECT_STREQ(world.engine.why_reason(world.items["w10"]), "WaitingForQuota");
    world.finish("w3");
    EXPECT_EQ(world.decide(), "w10");
}

TEST(AdmissionEngine, QueuesThatAreGoneAndUnusedAreForgotten) {
    EngineWorld world;
    world.queue("q", 2 * kCore);
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "other-" + std::to_string(i);
        EXPECT_EQ(world.engine.used(name, 0), 0);
        EXPECT_FALSE(world.engine.in_cycle(name));
        world.submit("lost", name.c_str(), kCore);  // a LocalQueue may name a ClusterQueue that is not there
        EXPECT_EQ(world.decide(), "");
        world.finish("lost");
        world.queue(name.c_str(), kCore);
        world.submit("found", name.c_str(), kCore);
        EXPECT_EQ(world.decide(), "found");
        world.engine.remove_queue(name);
        EXPECT_EQ(world.decide(), "");
        EXPECT_EQ(world.engine.queues_known(), 2u) << "it is gone, but a workload holds quota of it";
        world.finish("found");
        EXPECT_EQ(world.engine.queues_known(), 1u);
    }
    world.submit("w", "q", kCore);
    EXPECT_EQ(world.decide(), "w") << "the others' numbers were given again without harm to this one";
    world.engine.remove_queue("q");
    EXPECT_EQ(world.engine.queues_known(), 1u);
    world.queue("q", 2 * kCore);
    world.submit("v", "q", kCore);
    world.submit("too much", "q", kCore);
    EXPECT_EQ(world.decide(), "v") << "what w holds counts still";
}

TEST(AdmissionEngine, HigherPriorityFirstThenFirstComeFirstServed) {
    EngineWorld world;
    world.queue("q", 2 * kCore);
    world.submit("early", "q", kCore);
    world.submit("late", "q", kCore);
    world.submit("urgent", "q", kCore, 5);
    EXPECT_EQ(world.decide(), "urgent early");
}

TEST(AdmissionEngine, BestEffortLetsThoseBehindPass) {
    EngineWorld world;
    world.queue("q", 4 * kCore);
    world.submit("large", "q", 5 * kCore);
    world.submit("small", "q", kCore);
    EXPECT_EQ(world.decide(), "small");
    EXPECT_EQ(world.why("large"),
              "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, previously "
              "considered podsets requests (0) + current podset request (5) > maximum capacity (4)");
    EXPECT_STREQ(world.engine.why_reason(world.items["large"]), "ExceedsMaxQuota");
}

TEST(AdmissionEngine, AWaitingWorkloadOfABestEffortQueueKeepsNothingFromOthersWhateverItsPolicy) {
    for (const PreemptPolicy within : {PreemptPolicy::kNever, PreemptPolicy::kLowerPriority}) {
        for (const PreemptPolicy reclaim :
             {PreemptPolicy::kNever, PreemptPolicy::kLowerPriority, PreemptPolicy::kAny}) {
            for (const bool fair : {false, true}) {
                SCOPED_TRACE(std::to_string(static_cast<int>(within)) + std::to_string(static_cast<int>(reclaim)) +
                             (fair ? " fair" : ""));
                EngineWorld world({fair, true, true});
                QueueSpec spec = world.spec("q", {world.quota(10 * kCore)}, "team");
                spec.policy.within_queue = within;
                spec.policy.reclaim = reclaim;
                world.engine.set_queue(spec);
                world.queue("other", 0, "team");
                world.run("six", "q", 6 * kCore);
                world.submit("head", "q", 6 * kCore);
                EXPECT_EQ(world.decide(), "");
                world.submit("four", "q", 3 * kCore);
                EXPECT_EQ(world.decide(), "four") << "in its queue";
                world.submit("borrower", "other", kCore);
                EXPECT_EQ(world.decide(), "borrower") << "in its cohort";
                world.finish("six");
                EXPECT_EQ(world.decide(), "head");
            }
        }
    }
}

TEST(AdmissionEngine, NoQuotaIsKeptForAWorkloadThatWaitsForOthersThatItDidNotPreempt) {
    EngineWorld world;
    world.queue("q", 10 * kCore);
    world.run("leaving", "q", 6 * kCore);
    world.evict("leaving");
    world.submit("large", "q", 8 * kCore);
    EXPECT_EQ(world.decide(), "");
    EXPECT_NE(world.why("large").find("Pending the preemption of 1 workload(s)"), std::string::npos);
    world.submit("small", "q", 4 * kCore);
    EXPECT_EQ(world.decide(), "small");
}

TEST(AdmissionEngine, AWorkloadTakesAnotherFlavorAtOnceRatherThanWaitForOnesThatAreBeingEvicted) {
    EngineWorld world;
    world.engine.set_flavor("spot", {});
    world.engine.set_queue(world.spec("q", {world.quota(4 * kCore), world.quota(4 * kCore, {}, {}, "spot")}));
    world.run("leaving", "q", 4 * kCore);
    world.evict("leaving");
    world.submit("w", "q", 4 * kCore);
    EXPECT_EQ(world.decide(), "w@spot");
}

TEST(AdmissionEngine, AWorkloadThatMayShrinkStartsSmallerRatherThanWaitForOnesThatAreBeingEvicted) {
    EngineWorld world;
    world.queue("q", 6 * kCore);
    world.run("leaving", "q", 3 * kCore);
    world.evict("leaving");
    Shape shape = world.shape(kCore, 6);
    shape.pod_sets[0].min_count = 2;
    world.submit("w", "q", shape);
    EXPECT_EQ(world.decide(), "w*3");
}

TEST(AdmissionEngine, StrictFifoStopsAtTheFirstThatDoesNotFit) {
    EngineWorld world;
    QueueSpec spec = world.spec("q", {world.quota(4 * kCore)});
    spec.policy.strict_fifo = true;
    world.engine.set_queue(spec);
    world.run("running", "q", 2 * kCore);
    world.submit("large", "q", 3 * kCore);
    world.submit("small", "q", kCore);
    EXPECT_EQ(world.decide(), "");
    EXPECT_EQ(world.why("small"), "the ClusterQueue is strict, and an earlier workload waits");
    world.finish("running");
    EXPECT_EQ(world.decide(), "large small");
}

TEST(AdmissionEngine, BehindAPreemptorInAStrictQueueTheReasonIsToldAsWell) {
    EngineWorld world;
    QueueSpec spec = world.spec("q", {world.quota(4 * kCore)});
    spec.policy.strict_fifo = true;
    spec.policy.within_queue = PreemptPolicy::kLowerPriority;
    world.engine.set_queue(spec);
    world.run("running", "q", 4 * kCore);
    world.submit("urgent", "q", 4 * kCore, 5);
    world.submit("small", "q", kCore);
    EXPECT_EQ(world.decide(), "-running(by urgent)");
    EXPECT_STREQ(world.engine.why_reason(world.items["urgent"]), "WaitingForPreemptedWorkloads");
    EXPECT_EQ(world.why("small"), "the ClusterQueue is strict, and an earlier workload waits");
}

TEST(AdmissionEngine, NamesAreToldApartHoweverManyThereAre) {
    Names names;
    for (int i = 0; i < 70'000; ++i) {
        names.resource("example.com/r" + std::to_string(i));
        names.flavor("f" + std::to_string(i));
    }
    EXPECT_NE(names.resource("example.com/r0"), names.resource("example.com/r65536"));
    EXPECT_NE(names.flavor("f0"), names.flavor("f65536"));
    EXPECT_EQ(names.resource_name(names.resource("example.com/r69999")), "example.com/r69999");
}

TEST(AdmissionEngine, ResourcesThatNoQueueHasQuotaForGetNoNumber) {
    EngineWorld world;
    world.queue("q", 4 * kCore);
    world.submit("first", "q", world.shape(kCore));
    world.decide();
    const std::size_t known = world.engine.names().size();
    for (int i = 0; i < 100; ++i) {
        Shape shape = world.shape(kCore);
        const std::string resource = "example.com/r" + std::to_string(i);
        shape.pod_sets[0].per_pod.emplace_back(resource, 1);
        const std::string name = "w" + std::to_string(i);
        world.submit(name, "q", std::move(shape));
        world.decide();
        EXPECT_EQ(world.why(name),
                  "couldn't assign flavors to pod set main: resource " + resource + " unavailable in ClusterQueue");
    }
    EXPECT_EQ(world.engine.names().size(), known);
}

TEST(AdmissionEngine, AQueueThatIsStoppedAdmitsNothing) {
    EngineWorld world;
    QueueSpec spec = world.spec("q", {world.quota(4 * kCore)});
    spec.admits = false;
    world.engine.set_queue(spec);
    world.submit("w", "q", kCore);
    EXPECT_EQ(world.decide(), "");
    spec.admits = true;
    world.engine.set_queue(spec);
    EXPECT_EQ(world.decide(), "w");
}

TEST(AdmissionEngine, WhoBorrowsComesAfterWhoDoesNot) {
    EngineWorld world;
    world.queue("a", 2 * kCore, "team");
    world.queue("b", 2 * kCore, "team");
    world.submit("borrows", "a", 3 * kCore, 100);
    world.submit("own", "b", 2 * kCore);
    EXPECT_EQ(world.decide(), "own");
    EXPECT_EQ(
        world.why("borrows"),
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed");
}

TEST(AdmissionEngine, OnlyTreesInWhichSomethingChangedAreLookedAt) {
    EngineWorld world;
    world.queue("a", kCore);
    world.queue("b", kCore);
    world.submit("a1", "a", 2 * kCore);
    world.submit("b1", "b", 2 * kCore);
    EXPECT_EQ(world.engine.decide(world.next_time(), 10).looked_at, 2u);
    world.submit("b2", "b", 3 * kCore);
    EXPECT_EQ(world.engine.decide(world.next_time(), 10).looked_at, 2u) << "b1 and b2, not a1";
    EXPECT_FALSE(world.engine.dirty(world.next_time()));
}

TEST(AdmissionEngine, AThousandAlikeAreJudgedOnce) {
    EngineWorld world;
    world.queue("q", kCore);
    world.run("running", "q", kCore);
    for (int i = 0; i < 1000; ++i) world.submit("w" + std::to_string(i), "q", kCore);
    EXPECT_EQ(world.engine.decide(world.next_time(), 10).looked_at, 1u);
    EXPECT_FALSE(world.why("w999").empty());
}

TEST(AdmissionEngine, StopsAtItsBoundAndGoesOnNextTime) {
    EngineWorld world;
    world.queue("q", 10 * kCore);
    for (int i = 0; i < 5; ++i) world.submit("w" + std::to_string(i), "q", kCore);
    EXPECT_EQ(world.decide(2), "w0 w1");
    EXPECT_TRUE(world.engine.dirty(world.next_time()));
    EXPECT_EQ(world.decide(), "w2 w3 w4");
}

TEST(AdmissionEngine, CohortsInACircleAdmitNothingAndDoNotAffectOthers) {
    EngineWorld world;
    world.engine.set_cohort({"one", "two", {}, 1});
    world.engine.set_cohort({"two", "one", {}, 1});
    world.queue("caught", 10 * kCore, "one");
    world.queue("free", 10 * kCore, "other");
    world.submit("stuck", "caught", kCore);
    world.submit("fine", "free", kCore);
    EXPECT_EQ(world.decide(), "fine");
    EXPECT_TRUE(world.engine.in_cycle("caught"));
    EXPECT_FALSE(world.engine.in_cycle("free"));
    EXPECT_EQ(world.engine.path("free"), "/other/free");
    world.engine.remove_cohort("two");
    EXPECT_EQ(world.decide(), "stuck");
}

TEST(AdmissionEngine, AQuotaThatIsRaisedWakesThoseWhoWait) {
    EngineWorld world;
    world.queue("q", kCore);
    world.submit("w", "q", 3 * kCore);
    EXPECT_EQ(world.decide(), "");
    world.queue("q", 3 * kCore);
    EXPECT_EQ(world.decide(), "w");
}

TEST(AdmissionEngine, APodSetCountsAsAWhole) {
    EngineWorld world;
    world.queue("q", 5 * kCore);
    world.submit("group", "q", world.shape(kCore, 6));
    EXPECT_EQ(world.decide(), "");
    world.submit("fits", "q", world.shape(kCore, 5));
    EXPECT_EQ(world.decide(), "fits*5");
}

TEST(AdmissionEngine, AWorkloadIsPutBackWhenItsAdmissionCouldNotBeWritten) {
    EngineWorld world;
    world.queue("q", kCore);
    const ItemId item = world.submit("w", "q", kCore);
    EXPECT_EQ(world.decide(), "w");
    Waiter waiter;
    waiter.queue = "q";
    waiter.uid = "w";
    waiter.ordered_at = Instant::from_unix_seconds(1);
    waiter.shape = world.engine.add_shape(world.shape(kCore));
    world.engine.set_pending(item, waiter);
    EXPECT_EQ(world.decide(), "w");
}

TEST(AdmissionEngine, FairSharingLetsThoseGoFirstWhoUseLeastBeyondTheirOwn) {
    FairSharing fair;
    fair.enabled = true;
    EngineWorld world(fair);
    world.queue("a", 0, "team");
    world.queue("b", 0, "team");
    world.queue("lender", 8 * kCore, "team");
    for (int i = 0; i < 8; ++i) world.submit("a" + std::to_string(i), "a", kCore);
    for (int i = 0; i < 8; ++i) world.submit("b" + std::to_string(i), "b", kCore);
    EXPECT_EQ(world.decide(), "a0 b0 a1 b1 a2 b2 a3 b3");
}

TEST(AdmissionEngine, FairSharingGoesByWeight) {
    FairSharing fair;
    fair.enabled = true;
    EngineWorld world(fair);
    QueueSpec heavy = world.spec("heavy", {world.quota(0)}, "team");
    heavy.weight = 3;
    world.engine.set_queue(heavy);
    world.queue("light", 0, "team");
    world.queue("lender", 8 * kCore, "team");
    for (int i = 0; i < 8; ++i) world.submit("l" + std::to_string(i), "light", kCore);
    for (int i = 0; i < 8; ++i) world.submit("h" + std::to_string(i), "heavy", kCore);
    std::string admitted = world.decide();
    EXPECT_EQ(std::count(admitted.begin(), admitted.end(), 'h'), 6);
    EXPECT_EQ(std::count(admitted.begin(), admitted.end(), 'l'), 2);
}

}  // namespace engine_test
}  // namespace muster::controllers::queue
