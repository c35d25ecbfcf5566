#include "controllers/queue/admission/engine/preempt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/prng.h"
#include "controllers/queue/admission/testing/engine_world.h"

namespace muster::controllers::queue {
namespace preempt_test {

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
        EXPECT_EQ(world.decide(), "") << "no second eviction, and no admission before the victims are gone";
        if (*it.plan == 0) continue;
        EXPECT_NE(world.why("w").find("Pending the preemption of 1 workload(s)"), std::string::npos) << world.why("w");
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

TEST(Preemption, QuotaThatAWaitingWorkloadNeedsIsLentUnlessItsQueueIsStrict) {
    struct Case {
        const char* sentence;
        bool strict;
        PreemptPolicy reclaim;
        const char* plan;
    };
    const Case cases[] = {
        {"a best-effort queue lends it", false, PreemptPolicy::kLowerPriority, "borrower"},
        {"a strict queue does not", true, PreemptPolicy::kLowerPriority, ""},
        {"nor one that never preempts", true, PreemptPolicy::kNever, ""},
        {"one that can always take it back need not keep it", true, PreemptPolicy::kAny, "-b(by w)"},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        QueueSpec spec = world.spec("mine", {world.quota(4 * kOne)}, "team");
        spec.policy.strict_fifo = it.strict;
        spec.policy.reclaim = it.reclaim;
        world.engine.set_queue(spec);
        add_queue(world, "other", 0, "team");
        add_queue(world, "third", 2 * kOne, "team");
        world.run("own", "third", 2 * kOne);
        world.run("b", "other", 2 * kOne, 100);
        world.submit("w", "mine", 4 * kOne, 1);
        world.submit("borrower", "other", 2 * kOne, 1);
        EXPECT_EQ(world.decide(), it.plan);
        world.finish("b");
        EXPECT_EQ(world.decide(), *it.plan == 'b' ? "" : "w");
    }
}

TEST(Preemption, AWaitingWorkloadOfLowPriorityDoesNotBlockPreemptionByAnotherQueue) {
    EngineWorld world;
    Policies lower;
    lower.reclaim = PreemptPolicy::kLowerPriority;
    add_queue(world, "mine", 4 * kOne, "team", lower);
    lower.borrow = true;
    add_queue(world, "urgent", 2 * kOne, "team", lower);
    add_queue(world, "borrower", 0, "team");
    world.run("r", "borrower", 6 * kOne, 0);
    world.submit("low", "mine", 4 * kOne, 0);
    EXPECT_EQ(world.decide(), "");
    world.submit("high", "urgent", 4 * kOne, 10);
    EXPECT_EQ(world.decide(), "-r(by high)");
    world.finish("r");
    EXPECT_EQ(world.decide(), "high");
}

TEST(Preemption, WhatAQueueHasOfItsOwnIsNotTakenForAnotherResourceThatItBorrows) {
    EngineWorld world;
    const auto add = [&](const char* name, Amount cpu, Amount memory, bool preempts) {
        QueueSpec spec = world.spec(name, {world.quota(cpu), world.quota(memory, {}, {}, "default", "memory")}, "team");
        if (preempts) spec.policy.reclaim = PreemptPolicy::kAny;
        spec.policy.borrow_while_preempting = preempts;
        world.engine.set_queue(spec);
    };
    add("a", 5, 0, false);
    add("b", 5, 8, true);
    add("c", 0, 0, false);
    world.submit("own-cpu", "a", world.shape_with_memory(4, 0), -1);
    world.submit("borrowed-memory", "a", world.shape_with_memory(0, 3));
    world.submit("borrowed-cpu", "c", world.shape_with_memory(2, 0));
    world.decide();
    world.submit("w", "b", world.shape_with_memory(6, 6), 10);
    EXPECT_EQ(world.decide(), "-borrowed-cpu(by w) -borrowed-memory(by w)");
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

TEST(Preemption, EachStrategyOfFairSharingByItselfAndBothTogether) {
    struct Case {
        const char* sentence;
        int running;  // of that size
        Amount size;
        const char* by_final_share;
        const char* by_initial_share;
    };
    // A queue has all ten, and another asks for five.
    const Case cases[] = {
        {"small ones go until both have five", 10, 1, "-a9(by w) -a8(by w) -a7(by w) -a6(by w) -a5(by w)",
         "-a9(by w) -a8(by w) -a7(by w) -a6(by w) -a5(by w)"},
        {"a third pair leaves less than the other would have", 5, 2, "", "-a4(by w) -a3(by w) -a2(by w)"},
        {"nothing would be left", 1, 10, "", "-a0(by w)"},
    };
    for (const Case& it : cases) {
        for (const bool by_final : {false, true}) {
            for (const bool by_initial : {false, true}) {
                if (!by_final && !by_initial) continue;
                SCOPED_TRACE(std::string(it.sentence) + (by_final ? ", final" : "") + (by_initial ? ", initial" : ""));
                EngineWorld world({true, by_final, by_initial});
                Policies any;
                any.reclaim = PreemptPolicy::kAny;
                add_queue(world, "a", 0, "team", any);
                add_queue(world, "b", 0, "team", any);
                add_queue(world, "lender", 10 * kOne, "team");
                for (int i = 0; i < it.running; ++i) world.run("a" + std::to_string(i), "a", it.size * kOne);
                world.submit("w", "b", 5 * kOne);
                EXPECT_EQ(world.decide(), by_initial ? it.by_initial_share : it.by_final_share);
            }
        }
    }
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
            // Reclaiming from other queues is for the queue's own quota: admission by borrowing would not be allowed.
            for (const Admit& admit : again.engine.decide(again.next_time(), 100).admit)
                ASSERT_GT(admit.borrow, 0) << spared << " went for nothing";
        }
    }
    EXPECT_GT(with_victims, 100);
}

// Whatever is planned in random worlds: quota holds now and afterwards, and victims are those that policy allows.
TEST(Preemption, RandomWorldsKeepQuotaAndPreemptOnlyAsPolicyAllows) {
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

// Cohorts in cohorts with random limits, full of random workloads, and one that waits and may preempt.
struct RandomTree {
    struct Running {
        std::string name;
        std::string queue;
        Amount size;
        int priority;
    };
    struct Limits {
        Amount nominal;
        std::optional<Amount> borrowing;
        std::optional<Amount> lending;
    };

    explicit RandomTree(std::uint64_t seed) : prng(seed) {
        fair = prng.chance(1, 3);
        for (const char* name : kQueues) {
            limits[name] = {prng.between(0, 6), some(6), some(4)};
            left_in_cohorts += limits[name].nominal;
        }
        own_of_left = prng.between(0, 3);
        left_in_cohorts += own_of_left;
        policies.within = prng.chance(1, 2) ? PreemptPolicy::kLowerPriority : PreemptPolicy::kNever;
        policies.reclaim = prng.chance(1, 2) ? PreemptPolicy::kAny : PreemptPolicy::kLowerPriority;
        policies.borrow = !fair && prng.chance(1, 2);
        if (policies.borrow) policies.threshold = static_cast<std::int32_t>(prng.below(4));
        // Who gets quota is decided by the engine, so that no limit is broken.
        EngineWorld world = make();
        std::map<std::string, Running> asked;
        for (int i = 0; i < 30; ++i) {
            const std::string name = "r" + std::to_string(i);
            asked[name] = {name, kQueues[prng.below(5)], prng.between(1, 3), static_cast<int>(prng.below(5))};
            world.submit(name, asked[name].queue.c_str(), asked[name].size, asked[name].priority);
            for (const Admit& admit : world.engine.decide(world.next_time(), 100).admit)
                running.push_back(asked[world.names[admit.item]]);
        }
        wanted = prng.between(1, 5);
    }
    std::optional<Amount> some(std::uint64_t most) {
        if (prng.chance(1, 2)) return std::nullopt;
        return static_cast<Amount>(prng.below(most + 1));
    }
    // root(left(a, b), right(c, d), e)
    EngineWorld make() {
        EngineWorld world({fair, true, true});
        world.engine.set_cohort({"left", "root", {world.quota(own_of_left)}});
        world.engine.set_cohort({"right", "root"});
        for (const char* name : kQueues) {
            const Limits& of = limits[name];
            QueueSpec spec = world.spec(name, {world.quota(of.nominal, of.borrowing, of.lending)}, cohort_of(name));
            world.engine.set_queue(spec);
        }
        return world;
    }
    EngineWorld with_preemptor(const std::set<std::string>& gone) {
        EngineWorld world = make();
        const Limits& of = limits["a"];
        QueueSpec spec = world.spec("a", {world.quota(of.nominal, of.borrowing, of.lending)}, cohort_of("a"));
        spec.policy.within_queue = policies.within;
        spec.policy.reclaim = policies.reclaim;
        spec.policy.borrow_while_preempting = policies.borrow;
        spec.policy.borrow_priority_max = policies.threshold;
        world.engine.set_queue(spec);
        for (const Running& one : running)
            if (!gone.contains(one.name)) world.run(one.name, one.queue.c_str(), one.size, one.priority);
        world.submit("w", "a", wanted, 2);
        return world;
    }
    static const char* cohort_of(const std::string& queue) {
        return queue == "e" ? "root" : queue < "c" ? "left" : "right";
    }
    // How far up a and the other queue meet.
    static int meeting(const std::string& queue) { return queue == "b" ? 1 : 2; }
    Amount used(const std::string& queue, const std::set<std::string>& gone) const {
        Amount sum = 0;
        for (const Running& one : running)
            if (one.queue == queue && !gone.contains(one.name)) sum += one.size;
        return sum;
    }

    static constexpr const char* kQueues[] = {"a", "b", "c", "d", "e"};
    Prng prng;
    bool fair = false;
    std::map<std::string, Limits> limits;
    Amount own_of_left = 0;
    Amount left_in_cohorts = 0;  // nominal quota of all together
    Policies policies;
    std::vector<Running> running;
    Amount wanted = 0;
};

TEST(Preemption, InRandomTreesItTakesOnlyFromBorrowersNoMoreThanItNeedsAndKeepsAllLimits) {
    std::map<PreemptReason, int> reasons;
    int fairly = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomTree tree(seed);
        EngineWorld world = tree.with_preemptor({});
        const Plan plan = world.engine.decide(world.next_time(), 100);
        if (plan.evict.empty()) continue;
        fairly += tree.fair ? 1 : 0;
        std::set<std::string> victims;
        for (const Evict& evict : plan.evict) victims.insert(world.names[evict.victim]);
        EngineWorld after = tree.with_preemptor(victims);
        const Plan then = after.engine.decide(after.next_time(), 100);
        ASSERT_EQ(then.admit.size(), 1u) << "with all of them gone it fits";
        const int borrow = then.admit[0].borrow;
        std::map<std::string, Amount> largest;  // of the victims of each queue
        for (const Evict& evict : plan.evict) {
            ++reasons[evict.reason];
            const std::string& name = world.names[evict.victim];
            const auto victim = std::find_if(tree.running.begin(), tree.running.end(),
                                             [&](const RandomTree::Running& one) { return one.name == name; });
            const bool own = victim->queue == "a";
            largest[victim->queue] = std::max(largest[victim->queue], victim->size);
            const PreemptPolicy policy = own ? tree.policies.within : tree.policies.reclaim;
            ASSERT_TRUE(policy == PreemptPolicy::kAny ||
                        (policy == PreemptPolicy::kLowerPriority && victim->priority < 2))
                << name;
            if (own || evict.reason == PreemptReason::kInCohortFairSharing) continue;
            if (evict.reason == PreemptReason::kInCohortReclaimWhileBorrowing) {
                ASSERT_TRUE(tree.policies.borrow);
                ASSERT_LT(victim->priority, 2);
                ASSERT_LE(victim->priority, *tree.policies.threshold);
            } else {
                ASSERT_LT(borrow, RandomTree::meeting(victim->queue))
                    << name << " was reclaimed for what its preemptor borrows itself";
            }
        }
        for (const auto& [queue, size] : largest) {
            if (queue == "a") continue;
            ASSERT_GT(tree.used(queue, victims) + size, tree.limits[queue].nominal) << queue << " was not borrowing";
        }
        for (const char* queue : RandomTree::kQueues) {
            const bool own = std::string(queue) == "a";
            const RandomTree::Limits& of = tree.limits[queue];
            const Amount used = tree.used(queue, victims) + (own ? tree.wanted : 0);
            ASSERT_LE(used, of.nominal + of.borrowing.value_or(tree.left_in_cohorts)) << queue;
            Amount all = tree.wanted;
            for (const char* other : RandomTree::kQueues) all += tree.used(other, victims);
            ASSERT_LE(all, tree.left_in_cohorts);
            const Amount lent = std::min(of.lending.value_or(of.nominal), of.nominal);
            ASSERT_LE(all - used, tree.left_in_cohorts - of.nominal + lent) << queue << " lends more than it may";
        }
        for (const std::string& spared : victims) {
            std::set<std::string> others = victims;
            others.erase(spared);
            EngineWorld again = tree.with_preemptor(others);
            // Under fair sharing one of its own queue goes as well where the share would else be too large.
            const auto one = std::find_if(tree.running.begin(), tree.running.end(),
                                          [&](const RandomTree::Running& it) { return it.name == spared; });
            const bool for_share = tree.fair && one->queue == "a" && largest.size() > 1;
            for (const Admit& admit : again.engine.decide(again.next_time(), 100).admit)
                ASSERT_TRUE(for_share || (!tree.fair && admit.borrow > borrow)) << spared << " went for nothing";
        }
    }
    for (const PreemptReason reason :
         {PreemptReason::kInClusterQueue, PreemptReason::kInCohortReclamation,
          PreemptReason::kInCohortReclaimWhileBorrowing, PreemptReason::kInCohortFairSharing})
        EXPECT_GT(reasons[reason], 20) << format_reason(reason);
    EXPECT_GT(fairly, 50);
}

}  // namespace preempt_test
}  // namespace muster::controllers::queue
