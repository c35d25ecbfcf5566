#include "os/testing/virtual_loop.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::os {
namespace virtual_loop_test {

using Order = std::vector<int>;

TEST(VirtualLoop, PostsRunInOrderAndWhatTheyPostRunsAfterThem) {
    VirtualLoop loop;
    Order order;
    loop.post([&] {
        order.push_back(1);
        loop.post([&] { order.push_back(3); });
    });
    loop.post([&] { order.push_back(2); });
    loop.run_until_idle();
    EXPECT_EQ(order, (Order{1, 2, 3}));
}

TEST(VirtualLoop, RunUntilIdleLeavesTimeAndLaterTimersAlone) {
    VirtualLoop loop;
    Order order;
    loop.after(0ns, [&] { order.push_back(0); });
    loop.after(1ns, [&] { order.push_back(1); });
    loop.run_until_idle();
    EXPECT_EQ(order, (Order{0}));
    EXPECT_EQ(loop.uptime(), 0ns);
}

TEST(VirtualLoop, RunForRunsWhatIsDueByItsEndEachAtItsTime) {
    VirtualLoop loop(Instant::from_unix_seconds(100));
    std::vector<std::int64_t> seconds;
    std::function<void()> tick = [&] {
        seconds.push_back(loop.now().unix_seconds());
        loop.after(10s, [&] { tick(); });
    };
    tick();
    loop.run_for(25s);
    EXPECT_EQ(seconds, (std::vector<std::int64_t>{100, 110, 120}));
    EXPECT_EQ(loop.now(), Instant::from_unix_seconds(125));
    loop.run_for(5s);
    EXPECT_EQ(seconds.size(), 4u);
}

TEST(VirtualLoop, ACancelledTimerDoesNotRun) {
    VirtualLoop loop;
    Order order;
    const TimerId timer = loop.after(1s, [&] { order.push_back(1); });
    loop.after(1s, [&] { order.push_back(2); });
    loop.cancel(timer);
    loop.run_for(2s);
    loop.cancel(timer);
    EXPECT_EQ(order, (Order{2}));
}

TEST(VirtualLoop, RunUntilSaysWhetherThePredicateCameTrue) {
    VirtualLoop loop;
    bool rang = false;
    loop.after(1h, [&] { rang = true; });
    EXPECT_FALSE(loop.run_until([&] { return rang; }, 59min));
    EXPECT_TRUE(loop.run_until([&] { return rang; }));
    EXPECT_EQ(loop.uptime(), 1h);
    EXPECT_FALSE(loop.run_until([] { return false; })) << "nothing is left to run";
}

TEST(VirtualLoop, JumpingTheWallClockMovesNoTimer) {
    VirtualLoop loop(Instant::from_unix_seconds(1000));
    Order order;
    loop.after(10s, [&] { order.push_back(1); });
    loop.jump_wall_clock(-500s);
    EXPECT_EQ(loop.now(), Instant::from_unix_seconds(500));
    loop.jump_wall_clock(2h);
    loop.run_for(9s);
    EXPECT_TRUE(order.empty());
    loop.run_for(1s);
    EXPECT_EQ(order.size(), 1u);
    EXPECT_EQ(loop.now(), Instant::from_unix_seconds(500 + 7200 + 10));
}

Order run_two_workers(std::uint64_t seed) {
    VirtualLoop loop;
    Order order;
    VirtualWorker odd(loop, seed, 0ms, 10ms);
    VirtualWorker even(loop, seed + 1000, 0ms, 10ms);
    for (int i = 0; i < 10; ++i) (i % 2 ? odd : even).run([&order, i] { order.push_back(i); });
    loop.run_for(1s);
    return order;
}

TEST(VirtualWorker, KeepsItsOwnOrderWhileTheOrderBetweenWorkersFollowsTheSeed) {
    std::set<Order> orders;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Order order = run_two_workers(seed);
        EXPECT_EQ(order, run_two_workers(seed));
        orders.insert(order);
        ASSERT_EQ(order.size(), 10u);
        Order sorted = order;
        std::stable_sort(sorted.begin(), sorted.end(), [](int a, int b) { return a % 2 < b % 2; });
        EXPECT_EQ(sorted, (Order{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}));
    }
    EXPECT_GT(orders.size(), 10u);
}

TEST(VirtualWorker, RunsNothingBeforeTheLoopTurns) {
    VirtualLoop loop;
    VirtualWorker worker(loop);
    bool ran = false;
    worker.run([&] { ran = true; });
    EXPECT_FALSE(ran);
    loop.run_until_idle();
    EXPECT_TRUE(ran);
}

TEST(VirtualWorker, FinishesWhatItWasGivenUnlessItIsAbandoned) {
    VirtualLoop loop;
    Order order;
    {
        VirtualWorker worker(loop);
        worker.run([&] { order.push_back(1); });
        worker.run([&] { order.push_back(2); });
    }
    EXPECT_EQ(order, (Order{1, 2}));
    VirtualWorker crashed(loop);
    crashed.run([&] { order.push_back(3); });
    crashed.abandon();
    loop.run_until_idle();
    EXPECT_EQ(order, (Order{1, 2}));
}

}  // namespace virtual_loop_test
}  // namespace muster::os
