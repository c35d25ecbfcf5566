#include "controllers/queue/admission/preempt.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"
#include "controllers/queue/admission/testing/engine_world.h"

namespace muster::controllers::queue {
namespace {

constexpr Amount kOne = 1000;

struct Policies {
    PreemptPolicy within = PreemptPolicy::kNever;
    PreemptPolicy reclaim = PreemptPolicy::kNever;
    bool borrow = false;
    std::optional<std::int32_t> threshold{};
};

void add_queue(EngineWorld& world, const char* name, Amount nominal, const char* cohort, Policies policies = {},
               std::optional<Amount> borrowing = {}) {
    QueueSpec spec = world.spec(name, {world.quota(nominal, borrowing)}, cohort);
    spec.policy.within_queue = policies.within;
    spec.policy.reclaim = policies.reclaim;
    spec.policy.borrow_while_preempting = policies.borrow;
    spec.policy.borrow_priority_max = policies.threshold;
    world.engine.set_queue(spec);
}

TEST(Preemption, WithinAQueueOnlyAsItsPolicyAllows) {
    struct Case {
        const char* sentence;
        PreemptPolicy policy;
        int running;
        int waiting;
        bool newer;  // than the one that waits
        const char* plan;
    };
    const Case cases[] = {
        {"never", PreemptPolicy::kNever, 0, 10, false, ""},
        {"lower priority goes", PreemptPolicy::kLowerPriority, 0, 10, false, "-r(by w)"},
        {"equal priority stays", PreemptPolicy::kLowerPriority, 10, 10, true, ""},
        {"equal and newer goes", PreemptPolicy::kLowerOrNewerEqualPriority, 10, 10, true, "-r(by w)"},
        {"equal and older stays", PreemptPolicy::kLowerOrNewerEqualPriority, 10, 10, false, ""},
        {"higher stays", PreemptPolicy::kLowerOrNewerEqualPriority, 11, 10, true, ""},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        Policies policies;
        policies.within = it.policy;
        add_queue(world, "q", kOne, "", policies);
        if (!it.newer) world.run("r", "q", kOne, it.running);
        world.submit("w", "q", kOne, it.waiting);
        if (it.newer) world.run("r", "q", kOne, it.running);
        EXPECT_EQ(world.decide(), it.plan);
        EXPECT_EQ(world.decide(), "") << "nobody is evicted twice, and nobody admitted before they are gone";
        if (*it.plan == 0) continue;
        EXPECT_NE(world.why("w").find("waiting for 1 preempted workload(s)"), std::string::npos) << world.why("w");
        world.finish("r");
        EXPECT_EQ(world.decide(), "w");
    }
}

TEST(Preemption, TakesTheLowestAndNewestAndNoMoreThanItNeeds) {
    EngineWorld world;
    Policies policies;
    policies.within = PreemptPolicy::kLowerPriority;
    add_queue(world, "q", 6 * kOne, "", policies);
    world.run("old", "q", 2 * kOne, 1);
    world.run("lowest", "q", kOne, 0);
    world.run("new", "q", 2 * kOne, 1);
    world.submit("w", "q", 3 * kOne, 10);
    // One core is free. The lowest alone is too small, and with the newest gone it can stay.
    EXPECT_EQ(world.decide(), "-new(by w)");
}

TEST(Preemption, ReclaimsOnlyFromThoseWhoBorrow) {
    EngineWorld world;
    Policies policies;
    policies.reclaim = PreemptPolicy::kAny;
    add_queue(world, "mine", 4 * kOne, "team", policies);
    add_queue(world, "borrower", 2 * kOne, "team");
    add_queue(world, "honest", 2 * kOne, "team");
    world.run("h", "honest", 2 * kOne, 0);
    world.run("b1", "borrower", 2 * kOne, 100);
    world.run("b2", "borrower", 2 * kOne, 100);
    world.run("b3", "borrower", 2 * kOne, 100);
    world.submit("w", "mine", 4 * kOne, 1);
    EXPECT_EQ(world.decide(), "-b3(by w) -b2(by w)");
    world.finish("b3");
    EXPECT_EQ(world.decide(), "") << "one of two is not enough";
    world.finish("b2");
    EXPECT_EQ(world.decide(), "w");
}

TEST(Preemption, ReclaimByPriorityLeavesHigherOnesAlone) {
    EngineWorld world;
    Policies policies;
    policies.reclaim = PreemptPolicy::kLowerPriority;
    add_queue(world, "mine", 2 * kOne, "team", policies);
    add_queue(world, "borrower", 0, "team");
    world.run("b", "borrower", 2 * kOne, 100);
    world.submit("w", "mine", 2 * kOne, 1);
    EXPECT_EQ(world.decide(), "");
    world.submit("v", "mine", 2 * kOne, 101);
    EXPECT_EQ(world.decide(), "-b(by v)");
}

TEST(Preemption, BorrowWithinCohortTakesOnlyUpToItsThreshold) {
    struct Case {
        const char* sentence;
        bool borrow;
        std::optional<std::int32_t> threshold;
        int running;
        const char* plan;
    };
    const Case cases[] = {
        {"not allowed to preempt while borrowing", false, {}, 0, ""},
        {"lower priority goes", true, {}, 0, "-b(by w)"},
        {"at the threshold goes", true, 5, 5, "-b(by w)"},
        {"above the threshold stays", true, 5, 6, ""},
        {"not lower stays", true, {}, 10, ""},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        Policies policies;
        policies.reclaim = PreemptPolicy::kLowerPriority;
        policies.borrow = it.borrow;
        policies.threshold = it.threshold;
        add_queue(world, "mine", kOne, "team", policies);
        add_queue(world, "borrower", 0, "team");
        add_queue(world, "lender", 2 * kOne, "team");
        world.run("b", "borrower", 3 * kOne, it.running);
        world.submit("w", "mine", 2 * kOne, 10);
        EXPECT_EQ(world.decide(), it.plan);
    }
}

TEST(Preemption, WhatVictimsGiveBackIsKeptForTheirPreemptor) {
    EngineWorld world;
    Policies policies;
    policies.within = PreemptPolicy::kLowerPriority;
    add_queue(world, "q", 4 * kOne, "", policies);
    world.run("r1", "q", 2 * kOne);
    world.run("r2", "q", 2 * kOne);
    world.submit("w", "q", 4 * kOne, 10);
    EXPECT_EQ(world.decide(), "-r2(by w) -r1(by w)");
    world.finish("r1");
    world.submit("small", "q", kOne, 5);
    EXPECT_EQ(world.decide(), "") << "two cores are free, and they are spoken for";
    world.finish("r2");
    EXPECT_EQ(world.decide(), "w");
}

TEST(Preemption, AnEvictedWorkloadStillCountsUntilItIsGone) {
    EngineWorld world;
    Policies policies;
    policies.within = PreemptPolicy::kLowerPriority;
    add_queue(world, "q", 3 * kOne, "", policies);
    world.run("r", "q", 3 * kOne);
    world.submit("w", "q", kOne, 10);
    EXPECT_EQ(world.decide(), "-r(by w)");
    // Behind the preemptor there is room for two more once r is gone, and none before.
    world.submit("a", "q", kOne, 5);
    world.submit("b", "q", kOne, 5);
    EXPECT_EQ(world.decide(), "");
    world.finish("r");
    EXPECT_EQ(world.decide(), "w a b");
}

TEST(Preemption, AWaitingWorkloadThatCannotPreemptKeepsOthersFromBorrowingItsQuota) {
    EngineWorld world;
    Policies lower;
    lower.reclaim = PreemptPolicy::kLowerPriority;
    add_queue(world, "mine", 4 * kOne, "team", lower);
    add_queue(world, "other", 0, "team");
    world.run("b", "other", 2 * kOne, 100);
    world.submit("w", "mine", 4 * kOne, 1);
    world.submit("borrower", "other", 2 * kOne, 1);
    EXPECT_EQ(world.decide(), "");
    world.finish("b");
    EXPECT_EQ(world.decide(), "w");
}

TEST(Preemption, FairSharingTakesFromWhoUsesMostBeyondItsOwn) {
    FairSharing fair;
    fair.enabled = true;
    EngineWorld world(fair);
    Policies any;
    any.reclaim = PreemptPolicy::kAny;
    add_queue(world, "a", 0, "team", any);
    add_queue(world, "b", 0, "team", any);
    add_queue(world, "c", 0, "team", any);
    add_queue(world, "lender", 9 * kOne, "team");
    for (int i = 0; i < 6; ++i) world.run("a" + std::to_string(i), "a", kOne);
    for (int i = 0; i < 3; ++i) world.run("b" + std::to_string(i), "b", kOne);
    for (int i = 0; i < 6; ++i) world.submit("c" + std::to_string(i), "c", kOne);
    // c gets three of a's: then each has three, and no more changes hands.
    EXPECT_EQ(world.decide(), "-a5(by c0) -a4(by c1) -a3(by c2)");
}

TEST(Preemption, FairSharingGivesWithinNominalQuotaWithoutComparing) {
    FairSharing fair;
    fair.enabled = true;
    EngineWorld world(fair);
    Policies any;
    any.reclaim = PreemptPolicy::kAny;
    add_queue(world, "mine", 2 * kOne, "team", any);
    add_queue(world, "other", 2 * kOne, "team");
    world.run("o1", "other", 2 * kOne, 50);
    world.run("o2", "other", 2 * kOne, 50);
    world.submit("w", "mine", 2 * kOne);
    EXPECT_EQ(world.decide(), "-o2(by w)");
}

// A cohort full of random workloads, without those in `gone`.
void fill_random_world(EngineWorld& world, std::uint64_t seed, const std::set<std::string>& gone) {
    Prng prng(seed);
    Policies policies;
    policies.within = PreemptPolicy::kLowerPriority;
    policies.reclaim = PreemptPolicy::kAny;
    add_queue(world, "mine", 8, "team", policies);
    add_queue(world, "other", 4, "team");
    add_queue(world, "third", 4, "team");
    const char* const queues[] = {"mine", "other", "third"};
    Amount left = 16;
    for (int i = 0; left > 0; ++i) {
        const Amount size = std::min<Amount>(left, prng.between(1, 4));
        const char* queue = queues[prng.below(3)];
        const int priority = static_cast<int>(prng.below(3));
        const std::string name = "r" + std::to_string(i);
        if (!gone.contains(name)) world.run(name, queue, size, priority);
        left -= size;
    }
    world.submit("w", "mine", prng.between(1, 6), 5);
}

TEST(Preemption, NoVictimCouldHaveBeenSpared) {
    int with_victims = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        EngineWorld world;
        fill_random_world(world, seed, {});
        const Plan plan = world.engine.decide(world.next_time(), 100);
        if (plan.evict.empty()) continue;
        ++with_victims;
        std::set<std::string> victims;
        for (const Evict& evict : plan.evict) victims.insert(world.names[evict.victim]);
        EngineWorld after;
        fill_random_world(after, seed, victims);
        ASSERT_EQ(after.decide(), "w") << "with all of them gone it fits";
        for (const std::string& spared : victims) {
            std::set<std::string> others = victims;
            others.erase(spared);
            EngineWorld again;
            fill_random_world(again, seed, others);
            // Whom reclaiming takes from others is for quota of one's own: borrowing instead would not be allowed.
            for (const Admit& admit : again.engine.decide(again.next_time(), 100).admit)
                ASSERT_GT(admit.borrow, 0) << spared << " went for nothing";
        }
    }
    EXPECT_GT(with_victims, 100);
}

// Whatever is planned in random worlds: quota holds now and afterwards, and victims are those that policy allows.
TEST(Preemption, RandomWorldsKeepQuotaAndPreemptOnlyWhomPolicyAllows) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Prng prng(seed);
        FairSharing fair;
        fair.enabled = seed % 3 == 0;
        EngineWorld world(fair);
        const char* const queues[] = {"a", "b", "c", "d"};
        std::map<std::string, Policies> policies;
        const Slot slot = world.quota(0).slot;
        Amount total = 0;
        for (const char* name : queues) {
            Policies& of = policies[name];
            of.within = prng.chance(1, 2) ? PreemptPolicy::kLowerPriority : PreemptPolicy::kLowerOrNewerEqualPriority;
            of.reclaim = prng.chance(1, 2) ? PreemptPolicy::kAny : PreemptPolicy::kLowerPriority;
            of.borrow = !fair.enabled && prng.chance(1, 2);
            const Amount nominal = prng.between(0, 8);
            total += nominal;
            add_queue(world, name, nominal, "team", of,
                      prng.chance(1, 2) ? std::optional<Amount>(prng.between(0, 6)) : std::nullopt);
        }
        std::map<std::string, std::pair<Amount, bool>> holding;  // whether it is being evicted
        for (int step = 0; step < 60; ++step) {
            const std::string name = "w" + std::to_string(step);
            if (prng.chance(2, 3))
                world.submit(name, queues[prng.below(4)], prng.between(1, 4), static_cast<int>(prng.below(3)));
            if (!holding.empty() && prng.chance(1, 3)) {
                auto gone = holding.begin();
                std::advance(gone, static_cast<std::ptrdiff_t>(prng.below(holding.size())));
                world.finish(gone->first);
                holding.erase(gone);
            }
            const Plan plan = world.engine.decide(world.next_time(), 100);
            for (const Admit& admit : plan.admit)
                holding[world.names[admit.item]] = {admit.pod_sets[0].choices[0].total, false};
            for (const Evict& evict : plan.evict) {
                auto& victim = holding[world.names[evict.victim]];
                ASSERT_FALSE(victim.second) << "evicted twice";
                victim.second = true;
                const Item& loser = world.engine.item(evict.victim);
                const Item& winner = world.engine.item(evict.preemptor);
                const bool own = loser.queue == winner.queue;
                const Policies& of = policies[queues[winner.queue]];
                PreemptRequest request;
                request.priority = winner.priority;
                request.ordered_at = winner.ordered_at;
                ASSERT_TRUE(may_preempt(own ? of.within : of.reclaim, request, loser));
            }
            Amount used = 0;
            for (const auto& [held, amount] : holding) used += amount.first;
            ASSERT_LE(used, total);
            Amount counted = 0;
            for (const char* queue : queues) counted += world.engine.used(queue, slot);
            ASSERT_EQ(counted, used);
        }
    }
}

}  // namespace
}  // namespace muster::controllers::queue
