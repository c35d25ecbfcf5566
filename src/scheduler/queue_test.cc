#include "scheduler/queue.h"

#include <gtest/gtest.h>

#include "scheduler/testing/cases.h"

namespace muster::scheduler {
namespace queue_test {

struct QueueTest : testing::Test {
    void set(const std::string& yaml) {
        const PodRef pod = pod_ref(yaml);
        queue.set(pod, shapes.shape_of(pod->spec), now);
    }
    std::string take(std::size_t at_most = 100) {
        std::string names;
        taken = queue.take(at_most, now);
        for (const PendingPod& pending : taken)
            names += pending.pod->metadata.name.str() + (pending.only_reserves ? "! " : " ");
        return names;
    }
    void refuse(const PodRef& pod, unsigned wakes, bool alike_too, const char* node = "") {
        Refusal refusal;
        refusal.pod = pod;
        refusal.message = "no";
        refusal.wakes = wakes;
        refusal.alike_too = alike_too;
        refusal.nominated_node = node;
        queue.refused(refusal, now);
    }
    void refuse_all(unsigned wakes, bool alike_too) {
        for (const PendingPod& pending : taken)
            if (!pending.only_reserves) refuse(pending.pod, wakes, alike_too);
    }

    PodQueue queue;
    ShapeCache shapes;
    Duration now = 100s;
    std::vector<PendingPod> taken;
};

TEST_F(QueueTest, GivesPodsByPriorityThenAge) {
    set("{metadata: {name: a, creationTimestamp: '2026-01-02T00:00:00Z'}}");
    set("{metadata: {name: b, creationTimestamp: '2026-01-01T00:00:00Z'}}");
    set("{metadata: {name: c, creationTimestamp: '2026-01-03T00:00:00Z'}, spec: {priority: 3}}");
    EXPECT_EQ(take(2), "c b ");
    EXPECT_EQ(take(2), "a ");
    EXPECT_FALSE(queue.has_turn(now));
}

TEST_F(QueueTest, ARefusedGroupWaitsForWhatMayHelp) {
    set(simple_pod("a", "1"));
    set(simple_pod("b", "1"));
    EXPECT_EQ(take(), "a b ");
    refuse_all(kWakeOnRoom, true);
    EXPECT_FALSE(queue.has_turn(now));
    set(simple_pod("c", "1"));
    EXPECT_FALSE(queue.has_turn(now)) << "one more of those that do not fit";
    queue.wake(kWakeOnPlacement, now);
    EXPECT_FALSE(queue.has_turn(now));
    queue.wake(kWakeOnRoom, now);
    EXPECT_EQ(take(), "a b c ");
}

TEST_F(QueueTest, OfARefusedGroupAFewAreTriedFirstAndThenMore) {
    for (int i = 0; i < 100; ++i) set(simple_pod("p" + std::to_string(i), "1"));
    take(200);
    refuse_all(kWakeOnRoom, true);
    queue.wake(kWakeOnRoom, now);
    take(200);
    EXPECT_EQ(taken.size(), 4u);
    for (const PendingPod& pending : taken) queue.placed(pending.pod->metadata.uid);
    take(200);
    EXPECT_EQ(taken.size(), 8u);
}

TEST_F(QueueTest, APodThatLooksAtOthersIsTriedLessOften) {
    set("{metadata: {name: a}, spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: z}]}}");
    for (const Duration wait : {1s, 2s, 4s, 8s, 10s, 10s}) {
        ASSERT_EQ(take(), "a ");
        refuse_all(kWakeOnRoom, false);
        queue.wake(kWakeOnRoom, now);
        EXPECT_FALSE(queue.has_turn(now));
        EXPECT_EQ(queue.next_due(), now + wait);
        now += wait;
    }
    EXPECT_TRUE(queue.has_turn(now));
}

TEST_F(QueueTest, NothingWaitsForEver) {
    set(simple_pod("a", "1"));
    take();
    refuse_all(kWakeOnNodes, true);
    EXPECT_EQ(queue.next_due(), now + 300s);
    now += 300s;
    EXPECT_EQ(take(), "a ");
}

TEST_F(QueueTest, AChangeOfItsOwnGivesAPodItsTurnAndAChangeOfItsStatusDoesNot) {
    set(simple_pod("a", "1"));
    take();
    refuse_all(kWakeOnNodes, true);
    set("{metadata: {name: a}, spec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}, status: {message: "
        "x}}");
    EXPECT_FALSE(queue.has_turn(now));
    set(simple_pod("a", "500m"));
    EXPECT_EQ(take(), "a ");
}

TEST_F(QueueTest, ANominatedPodKeepsItsNodeWhileItWaits) {
    set(simple_pod("vip", "1", "priority: 5"));
    take();
    refuse(taken[0].pod, kWakeOnRoom, false, "n");
    set(simple_pod("vip", "1", "priority: 5"));  // the world does not show it yet
    set(simple_pod("low", "1"));
    EXPECT_EQ(take(), "low vip! ");
    EXPECT_EQ(taken[1].pod->status.nominated_node_name, Text("n"));
    queue.wake(kWakeOnRoom, now);
    EXPECT_EQ(take(), "vip ");
}

TEST_F(QueueTest, AFailedBindingIsTriedAgainLater) {
    set(simple_pod("a", "1"));
    take();
    queue.placed("a");
    EXPECT_EQ(queue.size(), 0u);
    const PodRef pod = pod_ref(simple_pod("a", "1"));
    queue.failed(pod, shapes.shape_of(pod->spec), now);
    EXPECT_FALSE(queue.has_turn(now));
    now += 1s;
    EXPECT_EQ(take(), "a ");
}

TEST_F(QueueTest, WhoWaitsLongerIsToldOnceWhy) {
    set(simple_pod("a", "1"));
    set(simple_pod("b", "1"));
    take();
    refuse_all(kWakeOnRoom, true);
    EXPECT_TRUE(queue.take_tellings(10, now).empty());
    now += 1s;
    EXPECT_EQ(queue.take_tellings(1, now).size(), 1u);
    EXPECT_EQ(queue.take_tellings(10, now).size(), 1u);
    EXPECT_TRUE(queue.take_tellings(10, now).empty());
    queue.forget_told("b");
    EXPECT_EQ(queue.take_tellings(10, now).size(), 1u);
}

}  // namespace queue_test
}  // namespace muster::scheduler
