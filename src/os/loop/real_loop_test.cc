#include "os/loop/real_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <thread>

#include "os/loop/thread_worker.h"

namespace muster::os {
namespace real_loop_test {

TEST(RealLoop, RunsPostsInOrderAndStops) {
    RealLoop loop;
    std::vector<int> order;
    loop.post([&] { order.push_back(1); });
    loop.post([&] {
        order.push_back(2);
        loop.post([&] { order.push_back(3); });
    });
    loop.post([&] { loop.post([&] { loop.stop(); }); });
    loop.run();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(RealLoop, WhatIsAskedComesBetweenTwoPiecesOfWhatWasPosted) {
    RealLoop loop;
    std::vector<std::string> order;
    loop.post([&] {
        order.push_back("first");
        loop.post_asked([&] {
            order.push_back("asked");
            loop.post_asked([&] { order.push_back("asked by it"); });
        });
    });
    loop.post([&] { order.push_back("second"); });
    loop.post([&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(order, (std::vector<std::string>{"first", "asked", "asked by it", "second"}));
}

TEST(RealLoop, WhatIsAskedWithoutAnEndDoesNotKeepTheRestFromRunning) {
    RealLoop loop;
    int asked = 0;
    bool posted = false;
    bool timed = false;
    std::function<void()> ask = [&] {
        ++asked;
        if (posted && timed) return loop.stop();
        loop.post_asked([&] { ask(); });
    };
    loop.post_asked([&] { ask(); });
    loop.post([&] { loop.post([&] { posted = true; }); });
    loop.after(0ns, [&] { timed = true; });
    loop.run();
    EXPECT_GT(asked, 1);
}

TEST(RealLoop, WhatAThreadAsksWakesTheLoop) {
    RealLoop loop;
    std::thread asking([&] { loop.post_asked([&] { loop.stop(); }); });
    loop.run();
    asking.join();
}

TEST(RealLoop, TimersRunByDeadlineAndNeverEarly) {
    RealLoop loop;
    std::vector<int> order;
    const Duration start = loop.uptime();
    Duration at_end{};
    loop.after(20ms, [&] {
        order.push_back(2);
        at_end = loop.uptime();
        loop.stop();
    });
    loop.after(1ms, [&] { order.push_back(1); });
    loop.cancel(loop.after(2ms, [&] { order.push_back(-1); }));
    loop.run();
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    EXPECT_GE(at_end - start, 20ms);
}

TEST(RealLoop, ATimerWithTheLongestDelayIsNotDueNow) {
    RealLoop loop;
    bool due = false;
    loop.after(1ms, [&] { loop.stop(); });
    loop.after(Duration::max(), [&] { due = true; });
    loop.run();
    EXPECT_FALSE(due);
}

TEST(RealLoop, ATimerMayCancelAnotherThatIsDueWithIt) {
    RealLoop loop;
    bool ran = false;
    TimerId second = 0;
    loop.after(0ns, [&] { loop.cancel(second); });
    second = loop.after(0ns, [&] { ran = true; });
    loop.after(1ms, [&] { loop.stop(); });
    loop.run();
    EXPECT_FALSE(ran);
}

TEST(RealLoop, PostsOfManyThreadsAllArriveEachThreadsInOrder) {
    constexpr int kThreads = 4;
    constexpr int kEach = 5'000;
    RealLoop loop;
    std::vector<int> last(kThreads, -1);
    int arrived = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i)
                loop.post([&, t, i] {
                    EXPECT_EQ(last[t], i - 1);
                    last[t] = i;
                    if (++arrived == kThreads * kEach) loop.stop();
                });
        });
    loop.run();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(arrived, kThreads * kEach);
}

TEST(RealLoop, PostsToABusyLoopWakeItAtMostOnce) {
    RealLoop loop;
    std::latch started(1);
    std::latch posted(1);
    int arrived = 0;
    std::thread other([&] {
        started.wait();
        for (int i = 0; i < 1'000; ++i) loop.post([&] { ++arrived; });
        loop.post([&] { loop.stop(); });
        posted.count_down();
    });
    loop.post([&] {
        started.count_down();
        posted.wait();
    });
    loop.run();
    other.join();
    EXPECT_EQ(arrived, 1'000);
    EXPECT_LE(loop.wakeups(), 1u);
}

TEST(RealLoop, StopFromAnotherThreadWakesASleepingLoop) {
    RealLoop loop;
    std::latch running(1);
    std::thread other([&] {
        running.wait();
        loop.stop();
    });
    loop.post([&] { running.count_down(); });
    loop.run();
    other.join();
}

TEST(RealLoop, AWatchReportsThatADescriptorBecameReadable) {
    RealLoop loop;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    std::string received;
    const auto watch = loop.watch(ends[0], [&](RealLoop::Readiness ready) {
        ASSERT_TRUE(ready.readable);
        char buffer[8];
        ssize_t count;
        while ((count = ::read(ends[0], buffer, sizeof(buffer))) > 0) received.append(buffer, count);
        if (count == 0) loop.stop();
    });
    std::thread other([&] {
        ASSERT_EQ(::write(ends[1], "hello, ", 7), 7);
        ASSERT_EQ(::write(ends[1], "loop", 4), 4);
        ::close(ends[1]);
    });
    loop.run();
    other.join();
    EXPECT_EQ(received, "hello, loop");
    loop.unwatch(watch, ends[0]);
    ::close(ends[0]);
}

TEST(RealLoop, AWatchMayEndAnotherWhoseEventIsInTheSameBatch) {
    RealLoop loop;
    int pipes[2][2];
    RealLoop::WatchId watches[2];
    int calls = 0;
    for (auto& ends : pipes) ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    for (int i = 0; i < 2; ++i)
        watches[i] = loop.watch(pipes[i][0], [&, i](RealLoop::Readiness) {
            ++calls;
            loop.unwatch(watches[1 - i], pipes[1 - i][0]);
            loop.unwatch(watches[i], pipes[i][0]);
            loop.post([&] { loop.stop(); });
        });
    for (auto& ends : pipes) ASSERT_EQ(::write(ends[1], "x", 1), 1);
    loop.run();
    EXPECT_EQ(calls, 1);
    for (auto& ends : pipes)
        for (int end : ends) ::close(end);
}

Task<int> sleep_and_give(Loop& loop, int value) {
    co_await sleep_for(loop, 1ms);
    co_return value;
}

TEST(RealLoop, RunsATaskToItsEnd) {
    RealLoop loop;
    EXPECT_EQ(loop.run(sleep_and_give(loop, 4)), 4);
    EXPECT_EQ(loop.run(sleep_and_give(loop, 5)), 5);
}

TEST(ThreadWorker, RunsWorkInOrderOffTheLoopAndFinishesWhatItWasGiven) {
    std::vector<int> order;
    std::thread::id ran_on;
    {
        ThreadWorker worker("a rather long thread name");
        for (int i = 0; i < 1'000; ++i) worker.run([&, i] { order.push_back(i); });
        worker.run([&] { ran_on = std::this_thread::get_id(); });
    }
    EXPECT_NE(ran_on, std::this_thread::get_id());
    ASSERT_EQ(order.size(), 1'000u);
    for (int i = 0; i < 1'000; ++i) EXPECT_EQ(order[i], i);
}

Task<int> add_on_worker(Loop& loop, Worker& worker, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await offload(loop, worker, [i] { return i; });
    co_return sum;
}

TEST(ThreadWorker, ACoroutineGoesOnOnTheLoopWithWhatTheWorkerGave) {
    RealLoop loop;
    ThreadWorker worker("worker");
    EXPECT_EQ(loop.run(add_on_worker(loop, worker, 1'000)), 499'500);
}

}  // namespace real_loop_test
}  // namespace muster::os
