// Every preemption leads to an admission: the workload that preempts others is admitted before it preempts again, two
// workloads do not evict each other in turn, none is preempted more than five times a minute, and when nothing else
// happens preemptions end. Single cases first; then random clusters with split ownership of resources, trees of
// cohorts, flavors, policies, strategies and weights. Workloads are added and finished there, and queues edited, for a
// while; then nothing happens but what the engine decides, and evicted workloads stop, sooner or later, and wait again.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/prng.h"
#include "controllers/queue/admission/testing/engine_world.h"

namespace muster::controllers::queue {
namespace admission_progress_test {

constexpr FairSharing kFair{true, true, true};

void add_owner(EngineWorld& world, const char* name, Amount cpu, Amount memory) {
    QueueSpec spec = world.spec(name, {world.quota(cpu), world.quota(memory, {}, {}, "default", "memory")}, "team");
    spec.policy.reclaim = PreemptPolicy::kAny;
    world.engine.set_queue(spec);
}

TEST(PreemptionProgress, VictimsDoNotTakeBackWhatTheyGaveToOneThatReclaimsCpuAndBorrowsMemory) {
    EngineWorld world(kFair);
    add_owner(world, "cpu-owner", 10, 0);
    add_owner(world, "memory-owner", 0, 10);
    world.submit("v1", "memory-owner", world.shape_with_memory(5, 1));
    world.submit("v2", "memory-owner", world.shape_with_memory(5, 1));
    EXPECT_EQ(world.decide(), "v1 v2");
    world.submit("p", "cpu-owner", world.shape_with_memory(8, 6));
    EXPECT_EQ(world.decide(), "-v1(by p) -v2(by p)");
    // By shares the victims would come before it: they use less beyond their queue's own.
    world.wait("v1");
    EXPECT_EQ(world.decide(), "");
    world.wait("v2");
    EXPECT_EQ(world.decide(), "p");
    EXPECT_EQ(world.decide(), "");
}

TEST(PreemptionProgress, AClaimEndsWithTheWorkloadThatHasIt) {
    struct Case {
        const char* sentence;
        void (*happens)(EngineWorld&);
        const char* then;
    };
    const Case cases[] = {
        {"nothing happens", [](EngineWorld&) {}, ""},
        {"it is deleted", [](EngineWorld& world) { world.finish("p"); }, "small"},
        {"it is switched off", [](EngineWorld& world) { world.engine.set_idle(world.items["p"]); }, "small"},
        {"it becomes another",
         [](EngineWorld& world) {
             world.shapes["p"] = world.shape(11);
             world.wait("p");
         },
         "small"},
        {"its queue has quota for both now", [](EngineWorld& world) { world.queue("q", 20); }, "p small"},
        {"its queue has quota for it no longer", [](EngineWorld& world) { world.queue("q", 9); }, "small"},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        EngineWorld world;
        QueueSpec spec = world.spec("q", {world.quota(10)});
        spec.policy.within_queue = PreemptPolicy::kLowerPriority;
        world.engine.set_queue(spec);
        world.run("v", "q", 6);
        world.submit("p", "q", 10, 5);
        EXPECT_EQ(world.decide(), "-v(by p)");
        world.submit("small", "q", 3);
        it.happens(world);
        EXPECT_EQ(world.decide(), it.then);
    }
}

TEST(PreemptionProgress, AClaimIsHonouredInAnotherFlavorThatIsFreeSooner) {
    EngineWorld world;
    world.engine.set_flavor("spot", {});
    QueueSpec spec = world.spec("q", {world.quota(4), world.quota(4, {}, {}, "spot")});
    spec.policy.within_queue = PreemptPolicy::kLowerPriority;
    world.engine.set_queue(spec);
    world.run("v", "q", 4);
    world.run("other", "q", 4, 9, "spot");
    world.submit("p", "q", 4, 5);
    EXPECT_EQ(world.decide(), "-v(by p)");
    world.finish("other");
    EXPECT_EQ(world.decide(), "p@spot");
    world.submit("next", "q", 4);
    EXPECT_EQ(world.decide(), "") << "the victim still has the other flavor";
    world.finish("v");
    EXPECT_EQ(world.decide(), "next");
}

TEST(PreemptionProgress, WhoComesFirstInAStrictQueueTakesOverWhatWasClaimed) {
    for (const bool strict : {false, true}) {
        EngineWorld world;
        QueueSpec spec = world.spec("q", {world.quota(10)});
        spec.policy.within_queue = PreemptPolicy::kLowerPriority;
        spec.policy.strict_fifo = strict;
        world.engine.set_queue(spec);
        world.run("v", "q", 10);
        world.submit("p", "q", 10, 5);
        EXPECT_EQ(world.decide(), "-v(by p)");
        world.submit("urgent", "q", 10, 7);
        EXPECT_EQ(world.decide(), "");
        world.wait("p");
        world.finish("v");
        EXPECT_EQ(world.decide(), strict ? "urgent" : "p");
    }
}

TEST(PreemptionProgress, AWorkloadIsNotAdmittedAndEvictedByOnePlan) {
    EngineWorld world(kFair);
    add_owner(world, "cpu-owner", 10, 0);
    add_owner(world, "memory-owner", 0, 10);
    world.submit("v", "memory-owner", world.shape_with_memory(5, 1));
    world.submit("p", "cpu-owner", world.shape_with_memory(8, 6));
    EXPECT_EQ(world.decide(), "v") << "its share is smaller";
    EXPECT_EQ(world.decide(), "-v(by p)") << "but what it has belongs to the other's queue";
}

TEST(PreemptionProgress, SparedWorkloadsCountInTheShareOfTheirQueue) {
    EngineWorld world(kFair);
    QueueSpec a = world.spec("a", {world.quota(0)}, "team");
    a.policy.within_queue = PreemptPolicy::kLowerOrNewerEqualPriority;
    a.policy.reclaim = PreemptPolicy::kAny;
    world.engine.set_queue(a);
    world.queue("c", 0, "team");
    world.queue("lender", 10, "team");
    world.run("fixed", "lender", 2);
    world.run("c5", "c", 5);
    world.submit("a4", "a", 11);
    world.run("a2", "a", 2);
    world.shapes["a4"] = world.shape(4);
    world.wait("a4");
    // With a2 it would use more than c does, and c5 could take all back.
    EXPECT_EQ(world.decide(), "-a2(by a4) -c5(by a4)");
}

TEST(PreemptionProgress, OnesPreemptedTooOftenAreLeftAloneForAWhile) {
    const auto at = [](std::int64_t second) { return Instant::from_unix_seconds(1000 + second); };
    struct Case {
        const char* sentence;
        std::vector<std::int64_t> seconds;
        std::int64_t now;
        std::optional<std::int64_t> until;
    };
    const Case cases[] = {
        {"never", {}, 0, {}},
        {"four times", {1, 2, 3, 4}, 4, {}},
        {"five times", {1, 2, 3, 4, 5}, 5, 61},
        {"five times in one second", {5, 5, 5, 5, 5}, 5, 65},
        {"nearly a minute after the first of five", {1, 2, 3, 4, 5}, 60, 61},
        {"a minute after the first of five", {1, 2, 3, 4, 5}, 61, {}},
        {"five times, not within a minute", {1, 20, 40, 60, 70}, 70, {}},
        {"the clock went back since", {100, 101, 102, 103, 104}, 50, {}},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        std::vector<Instant> times;
        for (const std::int64_t second : it.seconds) times.push_back(at(second));
        const std::optional<Instant> until = spared_until(times, at(it.now));
        EXPECT_EQ(until, it.until ? std::optional(at(*it.until)) : std::nullopt);
    }
}

TEST(PreemptionProgress, WhenItMayBePreemptedAgainIsLookedAtAgain) {
    EngineWorld world;
    QueueSpec spec = world.spec("q", {world.quota(4)});
    spec.policy.within_queue = PreemptPolicy::kLowerPriority;
    world.engine.set_queue(spec);
    world.run("r", "q", 4);
    for (int i = 0; i < 7; ++i) world.engine.note_preempted(world.items["r"], world.next_time());
    const Instant until = Instant::from_unix_seconds(world.clock - 4) + kPreemptionsWindow;
    world.submit("w", "q", 4, 10);
    EXPECT_EQ(world.decide(), "");
    EXPECT_EQ(world.engine.look_again_at(), until);
    EXPECT_FALSE(world.engine.dirty(until - 1ms));
    EXPECT_TRUE(world.engine.dirty(until));
    world.clock += 60;
    EXPECT_EQ(world.decide(), "-r(by w)");
    EXPECT_EQ(world.engine.look_again_at(), std::nullopt);
}

constexpr const char* kNames[] = {"a", "b", "c", "d"};
constexpr const char* kResources[] = {"cpu", "memory", "gpu"};

// Decides about itself step by step, and says what goes wrong.
class RandomCluster {
public:
    explicit RandomCluster(std::uint64_t seed) : prng_(seed), world_(draw_fair()) {
        world_.engine.set_flavor("spot", {});
        split_ = prng_.chance(1, 2);
        if (split_ || prng_.chance(1, 2)) world_.engine.set_cohort({"left", "root", {}, weight()});
        if (split_ || prng_.chance(1, 2)) world_.engine.set_cohort({"right", "root", {}, weight()});
        spot_ = !split_ && prng_.chance(1, 3);
        draw_owners();
        for (const char* name : kNames) world_.engine.set_queue(draw_queue(name, spot_));
    }

    // Empty when nothing went wrong.
    std::string run() {
        const std::uint64_t workloads = 3 + prng_.below(8);
        for (std::uint64_t i = 0; i < workloads; ++i) {
            submit("w" + std::to_string(i));
            if (prng_.chance(1, 8)) edit();
            if (prng_.chance(1, 2)) continue;
            if (std::string wrong = step(); !wrong.empty()) return wrong;
        }
        begin_anywhere();
        closed_ = true;
        evictions_ = 0;
        for (int steps = 0; !is_at_rest(); ++steps) {
            if (steps == kStepsMax) return "there is no rest" + told_.substr(0, 3000);
            if (std::string wrong = step(); !wrong.empty()) return wrong;
        }
        for (const auto& [item, work] : works_)
            if (work.has_preempted && !strict_.contains(work.queue))
                return name(item) + " has preempted others for nothing" + told_;
        return {};
    }
    // Since nothing else happens.
    std::size_t evictions() const { return evictions_; }

private:
    static constexpr int kStepsMax = 3000;

    struct Work {
        Text queue{};
        int stops_in = -1;           // when it is being evicted
        bool has_preempted = false;  // since it was admitted last
        std::vector<Instant> evicted{};
    };

    FairSharing draw_fair() {
        FairSharing fair;
        fair.enabled = fair_ = prng_.chance(2, 3);
        fair.less_or_equal_final_share = prng_.chance(2, 3);
        fair.less_initial_share = !fair.less_or_equal_final_share || prng_.chance(1, 2);
        return fair;
    }
    double weight() {
        constexpr double kWeights[] = {1, 1, 1, 2, 0.5, 0};
        return kWeights[prng_.below(std::size(kWeights))];
    }
    std::optional<Amount> limit() {
        if (split_ || prng_.chance(2, 3)) return std::nullopt;
        return prng_.between(0, 8);
    }
    void draw_owners() {
        for (const char* resource : kResources) owners_[resource] = kNames[prng_.below(std::size(kNames))];
    }
    QueueSpec draw_queue(const char* name, bool spot) {
        QueueSpec spec;
        spec.name = name;
        constexpr const char* kCohorts[] = {"root", "left", "right"};
        spec.cohort = kCohorts[prng_.below(std::size(kCohorts))];
        spec.weight = weight();
        spec.policy = draw_policy();
        if (spec.policy.strict_fifo) strict_.insert(spec.name);
        const bool together = prng_.chance(1, 2);
        for (const char* resource : kResources) {
            if (spec.policy.groups.empty() || !together) spec.policy.groups.emplace_back();
            ResourceGroup& group = spec.policy.groups.back();
            group.resources.push_back(world_.engine.names().resource(resource));
            group.flavors.clear();
            for (const char* flavor : {"default", "spot"}) {
                if (!spot && std::string_view(flavor) == "spot") continue;
                group.flavors.push_back(world_.engine.names().flavor(flavor));
                // Often a queue has nothing of something, and others have all.
                Amount nominal = prng_.chance(1, 2) ? 0 : prng_.between(1, 10);
                if (split_) nominal = owners_[resource] == name ? 10 : 0;
                spec.quotas.push_back(world_.quota(nominal, limit(), limit(), flavor, resource));
            }
        }
        return spec;
    }
    QueuePolicy draw_policy() {
        constexpr PreemptPolicy kPolicies[] = {PreemptPolicy::kNever, PreemptPolicy::kLowerPriority,
                                               PreemptPolicy::kLowerOrNewerEqualPriority, PreemptPolicy::kAny};
        QueuePolicy policy;
        policy.strict_fifo = prng_.chance(1, 4);
        policy.within_queue = kPolicies[prng_.below(3)];
        policy.reclaim = kPolicies[prng_.chance(2, 3) ? 3 : prng_.below(3)];
        policy.borrow_while_preempting = !fair_ && policy.reclaim != PreemptPolicy::kNever && prng_.chance(1, 2);
        policy.next_flavor_rather_than_borrow = prng_.chance(1, 2);
        policy.next_flavor_rather_than_preempt = prng_.chance(1, 2);
        policy.preempt_rather_than_borrow = prng_.chance(1, 4);
        return policy;
    }

    // As after a start of the controller.
    void forget_history() {
        world_.engine.set_flavor("default", {});
        for (auto& [item, work] : works_) work.has_preempted = false;
    }
    // Queues become others, and what holds quota has got it from those of before.
    void begin_anywhere() {
        if (prng_.chance(1, 4)) return;
        strict_.clear();
        draw_owners();
        for (const char* name : kNames) world_.engine.set_queue(draw_queue(name, spot_));
        forget_history();
    }
    // A workload ends, or a queue becomes another.
    void edit() {
        if (prng_.chance(1, 2)) {
            const auto ends = std::next(works_.begin(), static_cast<std::ptrdiff_t>(prng_.below(works_.size())));
            world_.engine.remove_item(ends->first);
            works_.erase(ends);
        } else {
            const char* name = kNames[prng_.below(std::size(kNames))];
            strict_.erase(name);
            world_.engine.set_queue(draw_queue(name, spot_));
            forget_history();
        }
    }
    void submit(const std::string& name) {
        const char* queue = kNames[prng_.below(std::size(kNames))];
        Shape shape = world_.shape(0);
        shape.pod_sets[0].per_pod.clear();
        for (const char* resource : kResources)
            if (prng_.chance(2, 3))
                shape.pod_sets[0].per_pod.emplace_back(resource, split_ ? prng_.between(4, 10) : prng_.between(0, 7));
        const ItemId item = world_.submit(name, queue, shape, static_cast<int>(prng_.below(3)));
        works_[item].queue = queue;
    }

    // Nothing is left to be done, and time alone changes nothing.
    bool is_at_rest() {
        const bool stopping =
            std::any_of(works_.begin(), works_.end(), [](const auto& entry) { return entry.second.stops_in >= 0; });
        const Instant now = Instant::from_unix_seconds(world_.clock);
        if (stopping || world_.engine.dirty(now)) return false;
        const std::optional<Instant> next = world_.engine.look_again_at();
        if (next) world_.clock = std::max(world_.clock, next->unix_seconds() - 1);
        return !next;
    }

    std::string step() {
        for (auto& [item, work] : works_) {
            if (work.stops_in < 0) continue;
            if (work.stops_in-- == 0) world_.wait(world_.names[item]);
        }
        const Instant now = world_.next_time();
        const Plan plan = world_.engine.decide(now, prng_.chance(1, 8) ? 1 : 100);
        std::set<ItemId> preemptors;
        for (const Evict& evict : plan.evict) {
            preemptors.insert(evict.preemptor);
            if (std::string wrong = on_eviction(evict, now); !wrong.empty()) return wrong;
        }
        for (const ItemId item : preemptors)
            // In a strict queue another workload may be first by now.
            if (std::exchange(works_[item].has_preempted, true) && closed_ && !strict_.contains(works_[item].queue))
                return name(item) + " preempts again before it was admitted" + told_;
        for (const Admit& admit : plan.admit) {
            told_ += "\n" + name(admit.item) + " is admitted";
            works_[admit.item].has_preempted = false;
            for (const Evict& evict : plan.evict)
                if (evict.victim == admit.item) return name(admit.item) + " is admitted and evicted at once" + told_;
        }
        return {};
    }
    std::string on_eviction(const Evict& evict, Instant now) {
        ++evictions_;
        Work& victim = works_[evict.victim];
        told_ += "\n" + name(evict.preemptor) + " evicts " + name(evict.victim) + " " + format_reason(evict.reason);
        if (victim.stops_in >= 0) return name(evict.victim) + " is evicted twice" + told_;
        victim.stops_in = static_cast<int>(prng_.below(4));
        victim.evicted.push_back(now);
        world_.engine.note_preempted(evict.victim, now);
        const std::size_t times = victim.evicted.size();
        if (times > 5 && now - victim.evicted[times - 6] < 60s)
            return name(evict.victim) + " is evicted six times in a minute" + told_;
        const std::pair pair(evict.preemptor, evict.victim);
        const std::pair other(evict.victim, evict.preemptor);
        if (closed_ && before_last_ == pair && last_ == other)
            return name(evict.victim) + " and " + name(evict.preemptor) + " evict each other in turn" + told_;
        before_last_ = std::exchange(last_, pair);
        return {};
    }
    std::string name(ItemId item) { return world_.names[item] + "(" + works_[item].queue.str() + ")"; }

    Prng prng_;
    bool fair_ = false;
    EngineWorld world_;
    std::map<ItemId, Work> works_;
    std::set<Text> strict_;
    bool spot_ = false;
    bool split_ = false;  // each resource is one queue's
    std::map<std::string, std::string> owners_;
    bool closed_ = false;  // nothing comes any more
    std::size_t evictions_ = 0;
    std::pair<ItemId, ItemId> last_{};  // preemptor and victim
    std::pair<ItemId, ItemId> before_last_{};
    std::string told_;
};

TEST(PreemptionProgress, InRandomClustersEveryPreemptorIsAdmittedAndPreemptionsEnd) {
    constexpr std::uint64_t kSeeds = 4000;
    std::size_t evictions = 0;
    std::size_t most = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        RandomCluster cluster(seed);
        ASSERT_EQ(cluster.run(), "") << "seed " << seed;
        evictions += cluster.evictions();
        most = std::max(most, cluster.evictions());
    }
    EXPECT_GT(evictions, 500u);
    EXPECT_LE(most, 20u) << "in one cluster, of ten workloads at most";
}

}  // namespace admission_progress_test
}  // namespace muster::controllers::queue
