// Workloads that could preempt each other in a circle. Three queues have one resource each. Every workload needs its
// queue's own, which it may take back, and another's, which it borrows: "wb" preempts "wa", "wc" preempts "wb", and
// "wa" would preempt "wc".
#include <gtest/gtest.h>

#include <map>

#include "controllers/queue/admission/testing/engine_world.h"

namespace muster::controllers::queue {
namespace circles_test {

constexpr const char* kOwners[] = {"a", "b", "c"};

struct OwnersWorld : EngineWorld {
    OwnersWorld() : EngineWorld(FairSharing{true, true, true}) {
        for (const char* name : kOwners) engine.set_queue(owner(name));
        queue("alone", 1);
    }
    QueueSpec owner(const char* name) {
        std::vector<Quota> quotas;
        for (const char* resource : kOwners)
            quotas.push_back(quota(std::string_view(name) == resource ? 10 : 0, {}, {}, "default", resource));
        QueueSpec out = spec(name, std::move(quotas), "team");
        out.policy.reclaim = PreemptPolicy::kAny;
        return out;
    }
    Shape needs(std::initializer_list<const char*> resources, Amount amount = 10) {
        Shape out = shape(0);
        out.pod_sets[0].per_pod.clear();
        for (const char* resource : resources) out.pod_sets[0].per_pod.emplace_back(resource, amount);
        return out;
    }
};

struct CircleWorld : OwnersWorld {
    CircleWorld() {
        submit("wa", "a", needs({"a", "b"}));
        submit("wb", "b", needs({"b", "c"}));
        submit("wc", "c", needs({"c", "a"}));
    }
    // What is decided in that many seconds. Evicted workloads stop within one.
    std::string run(int seconds) {
        std::string out;
        for (int i = 0; i < seconds; ++i) {
            for (const auto& [name, item] : items)
                if (engine.item(item).evicting) wait(name);
            const Plan plan = engine.decide(next_time(), 1000);
            for (const Evict& evict : plan.evict) {
                engine.note_preempted(evict.victim, Instant::from_unix_seconds(clock));
                ++preempted[names[evict.victim]];
                out += " -" + names[evict.victim];
            }
            for (const Admit& admit : plan.admit) out += " " + names[admit.item];
        }
        return out.empty() ? out : out.substr(1);
    }
    std::map<std::string, int> preempted;
};

TEST(PreemptionCircle, ThreeComeToRestAndAreToldWhy) {
    CircleWorld world;
    EXPECT_EQ(world.run(60), "wa -wa wb -wb wc");
    EXPECT_EQ(world.run(24 * 3600), "");
    EXPECT_EQ(world.engine.look_again_at(), std::nullopt);
    EXPECT_EQ(world.why("wa"),
              "couldn't assign flavors to pod set main: insufficient unused quota for a in flavor default, 10 more "
              "needed. Workloads that could be preempted have preempted this one, directly or through others, and are "
              "not preempted in turn");
    EXPECT_STREQ(world.engine.why_reason(world.items["wa"]), "WaitingForQuota");
    EXPECT_EQ(world.why("wb"),
              "couldn't assign flavors to pod set main: insufficient unused quota for c in flavor default, 10 more "
              "needed");
}

// "wc" runs, and the others wait.
TEST(PreemptionCircle, PreemptionsOfBeforeCountUntilSomethingElseChangesAndTenMinutes) {
    struct Case {
        const char* sentence;
        void (*happens)(CircleWorld&);
        const char* soon;
        const char* after_ten_minutes;
    };
    const char* const round = "-wc wa -wa wb";
    const Case cases[] = {
        {"nothing happens", [](CircleWorld&) {}, "", ""},
        {"a queue is edited", [](CircleWorld& it) { it.engine.set_queue(it.owner("b")); }, round, ""},
        {"a cohort is edited",
         [](CircleWorld& it) {
             it.engine.set_cohort({"team", "", {}, 2});
         },
         round, ""},
        {"a flavor is edited", [](CircleWorld& it) { it.engine.set_flavor("default", {}); }, round, ""},
        {"another workload comes",
         [](CircleWorld& it) {
             it.submit("x", "a", it.needs({"a", "b"}, 11));
         },
         "", round},
        {"another workload of another tree comes", [](CircleWorld& it) { it.submit("x", "alone", 2); }, "", ""},
        {"it is made smaller, and still does not fit",
         [](CircleWorld& it) {
             it.shapes["wa"] = it.needs({"a", "b"}, 9);
             it.wait("wa");
         },
         "-wc wa", "-wa wb"},
        {"its priority is another",
         [](CircleWorld& it) {
             it.waiters["wa"].priority = 3;
             it.wait("wa");
         },
         "-wc wa", "-wa wb"},
        {"the one that preempted it is deleted",
         [](CircleWorld& it) {
             it.finish("wb");
             it.items.erase("wb");
         },
         "-wc wa", ""},
        {"the one that preempted it is over", [](CircleWorld& it) { it.engine.set_over(it.items["wb"]); }, "-wc wa",
         ""},
        {"the one that preempted it is switched off for now",
         [](CircleWorld& it) { it.engine.set_idle(it.items["wb"]); }, "", "-wc wa"},
        {"the one that runs ends",
         [](CircleWorld& it) {
             it.finish("wc");
             it.items.erase("wc");
         },
         "wa -wa wb", ""},
    };
    for (const Case& it : cases) {
        SCOPED_TRACE(it.sentence);
        CircleWorld world;
        ASSERT_EQ(world.run(10), "wa -wa wb -wb wc");
        it.happens(world);
        EXPECT_EQ(world.run(500), it.soon);
        EXPECT_EQ(world.run(1000), it.after_ten_minutes);
        EXPECT_EQ(world.run(10000), "");
    }
}

TEST(PreemptionCircle, WhenSomethingChangesAllTheTimeItIsSlow) {
    CircleWorld world;
    for (int minute = 0; minute < 60; ++minute) {
        world.submit("x", "a", world.needs({"a", "b"}, 11));
        world.run(30);
        world.finish("x");
        world.items.erase("x");
        world.run(30);
    }
    for (const auto& [name, times] : world.preempted) {
        EXPECT_LE(times, 7) << name;
        EXPECT_GE(times, 3) << name << ": what is held back is not held back for ever";
    }
}

// What "second" preempted "x" for goes to "first", which is then one of those that have preempted "second".
TEST(PreemptionCircle, TheHeadOfAStrictQueueThatTakesOverAClaimIsPartOfIt) {
    OwnersWorld world;
    QueueSpec strict = world.owner("a");
    strict.policy.strict_fifo = true;
    world.engine.set_queue(strict);
    world.submit("first", "a", world.needs({"b"}));
    world.submit("x", "b", world.needs({"a"}));
    EXPECT_EQ(world.decide(), "first x");
    world.submit("second", "a", world.needs({"a"}));
    EXPECT_EQ(world.decide(), "-x(by second)");
    world.submit("d", "b", world.needs({"b", "c"}));
    EXPECT_EQ(world.decide(), "-first(by d)");
    world.wait("first");
    EXPECT_EQ(world.decide(), "d");
    world.finish("x");
    world.submit("e", "c", world.needs({"c", "a"}));
    EXPECT_EQ(world.decide(), "-d(by e)");
    world.wait("d");
    EXPECT_EQ(world.decide(), "e first");
    EXPECT_EQ(world.decide(), "") << "e preempted d, d preempted first";
    EXPECT_NE(world.why("second").find("have preempted this one"), std::string::npos) << world.why("second");
    world.clock += 600;
    EXPECT_EQ(world.decide(), "-e(by second) -first(by d)");
}

TEST(PreemptionCircle, WithinAQueueNothingIsHeldBack) {
    EngineState state;
    state.items.resize(2);
    Preemptors preemptors;
    preemptors.items = {1};
    preemptors.until = Instant::from_unix_seconds(100);
    PreemptRequest request;
    request.queue = 7;
    for (const bool known : {false, true})
        for (const QueueId queue : {QueueId{7}, QueueId{8}}) {
            request.preemptors = known ? &preemptors : nullptr;
            state.items[1].queue = queue;
            state.circle_found = false;
            state.look_again_at.reset();
            const bool held_back = known && queue == 8;
            EXPECT_EQ(is_spared(state, request, 1), held_back);
            EXPECT_EQ(state.circle_found, held_back);
            EXPECT_EQ(state.look_again_at, held_back ? preemptors.until : std::nullopt);
        }
}

}  // namespace circles_test
}  // namespace muster::controllers::queue
