#include "client/work_queue.h"

#include <gtest/gtest.h>

#include <string>

#include "client/object_name.h"
#include "os/log/log_format.h"
#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace work_queue_test {

struct WorkQueueTest : testing::Test {
    // Takes one key if there is one by now.
    std::string take() {
        std::string key = "nothing";
        os::TaskScope tasks(loop);
        tasks.spawn([](WorkQueue<std::string>& from, std::string& into) -> os::Task<void> {
            into = co_await from.take();
        }(queue, key));
        loop.run_until_idle();
        return key;
    }
    os::VirtualLoop loop;
    WorkQueue<std::string> queue{loop};
};

TEST_F(WorkQueueTest, AKeyAddedManyTimesIsTakenOnce) {
    for (const char* key : {"a", "b", "a", "a"}) queue.add(key);
    EXPECT_EQ(take(), "a");
    EXPECT_EQ(take(), "b");
    EXPECT_EQ(take(), "nothing");
}

TEST_F(WorkQueueTest, AKeyAddedWhileItIsWorkedOnComesAgainAfterwards) {
    queue.add("a");
    EXPECT_EQ(take(), "a");
    queue.add("a");
    queue.add("a");
    EXPECT_EQ(take(), "nothing") << "no two work on the same key";
    queue.done("a");
    EXPECT_EQ(take(), "a");
    queue.done("a");
    EXPECT_TRUE(queue.idle());
}

TEST_F(WorkQueueTest, OfSeveralDelaysTheEarliestCounts) {
    queue.add_after("a", 5s);
    queue.add_after("a", 2s);
    queue.add_after("a", 9s);
    loop.run_for(1999ms);
    EXPECT_EQ(take(), "nothing");
    loop.run_for(1ms);
    EXPECT_EQ(take(), "a");
    queue.done("a");
    loop.run_for(1min);
    EXPECT_EQ(take(), "nothing") << "the later delays were the same wish";
}

TEST_F(WorkQueueTest, TheLongestDelayIsWaitedFor) {
    loop.run_for(1h);
    queue.add_after("a", Duration::max());
    loop.run_for(1h);
    EXPECT_EQ(take(), "nothing");
    queue.add_after("a", 1s);
    loop.run_for(1s);
    EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueTest, WhatIsAddedNowDoesNotComeAgainForItsDelay) {
    queue.add_after("a", 1s);
    queue.add("a");
    EXPECT_EQ(take(), "a");
    queue.done("a");
    loop.run_for(2s);
    EXPECT_EQ(take(), "nothing");
}

TEST_F(WorkQueueTest, DelaysOfDifferentKeysAreTheirOwn) {
    queue.add_after("late", 3s);
    queue.add_after("early", 1s);
    loop.run_for(1s);
    EXPECT_EQ(take(), "early");
    loop.run_for(2s);
    EXPECT_EQ(take(), "late");
}

TEST_F(WorkQueueTest, WhenTheWallClockIsSetEverythingThatWaitsIsLookedAtSoon) {
    for (const Duration jump : {Duration(2h), Duration(-2h)}) {
        queue.add_after("a", 1h);
        loop.run_for(1min);
        EXPECT_EQ(take(), "nothing");
        loop.jump_wall_clock(jump);
        loop.run_for(11s);
        EXPECT_EQ(take(), "a");
        queue.done("a");
        loop.run_for(2h);
        EXPECT_EQ(take(), "nothing") << "once";
    }
    queue.add_after("a", 1h);
    for (int i = 0; i < 59; ++i) {
        loop.jump_wall_clock(i % 2 == 0 ? 10ms : -10ms);
        loop.run_for(1min);
        EXPECT_EQ(take(), "nothing") << "as clocks are kept right all the time";
    }
}

TEST_F(WorkQueueTest, FailuresAreRetriedLaterAndLaterUntilForgotten) {
    WorkQueue<std::string> slow(loop, QueueMetrics(), {.first = 1s, .longest = 5s});
    const auto delay = [&] {
        const Duration start = loop.uptime();
        slow.add_after_failure("a");
        CHECK(loop.run_until([&] { return slow.depth() == 1; }));
        (void)loop.run(slow.take());
        slow.done("a");
        return std::chrono::duration_cast<std::chrono::seconds>(loop.uptime() - start).count();
    };
    EXPECT_EQ(delay(), 1);
    EXPECT_EQ(delay(), 2);
    EXPECT_EQ(delay(), 4);
    EXPECT_EQ(delay(), 5);
    EXPECT_EQ(slow.failures("a"), 4);
    slow.forget("a");
    EXPECT_EQ(delay(), 1);
}

TEST(QueueMetrics, CountUnderUpstreamsNames) {
    os::VirtualLoop loop;
    Metrics metrics;
    WorkQueue<std::string> queue(loop, QueueMetrics(metrics, "job"));
    queue.add("a");
    queue.add("b");
    (void)loop.run(queue.take());
    queue.done("a");
    queue.add_after_failure("a");
    const std::string text = metrics.format();
    for (const char* line :
         {"workqueue_adds_total{name=\"job\"} 2\n", "workqueue_depth{name=\"job\"} 1\n",
          "workqueue_retries_total{name=\"job\"} 1\n", "workqueue_queue_duration_seconds_count{name=\"job\"} 1\n",
          "workqueue_work_duration_seconds_count{name=\"job\"} 1\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(QueueMetrics, TellOfWorkThatIsUnderWay) {
    os::VirtualLoop loop;
    Metrics metrics;
    const auto tells = [&](const char* unfinished, const char* longest) {
        const std::string text = metrics.format();
        EXPECT_NE(text.find(std::string("workqueue_unfinished_work_seconds{name=\"job\"} ") + unfinished + '\n'),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find(std::string("workqueue_longest_running_processor_seconds{name=\"job\"} ") + longest + '\n'),
                  std::string::npos)
            << text;
    };
    {
        WorkQueue<std::string> queue(loop, QueueMetrics(metrics, "job"));
        queue.add("a");
        queue.add("b");
        (void)loop.run(queue.take());
        loop.run_for(2s);
        (void)loop.run(queue.take());
        loop.run_for(3s);
        tells("8", "5");
        queue.done("a");
        tells("3", "3");
    }
    tells("0", "0");  // a queue that is gone is not asked
}

TEST(WorkQueue, TellsWhatIsInWorkAndWhatFails) {
    os::VirtualLoop loop;
    Metrics metrics;
    const auto told = [&] {
        std::string text;
        for (const Inspection::Row& row : metrics.inspection().ask(kQueuesTopic)) {
            os::append_json_object(text, row);
            text += '\n';
        }
        return text;
    };
    {
        WorkQueue<ObjectName> queue(loop, QueueMetrics(metrics, "job"));
        const ObjectName a("default", "a");
        const ObjectName b("default", "b");
        queue.add(a);
        queue.add(b);
        queue.add_after_failure(b);
        loop.run(queue.take());
        loop.run_for(1ms);
        EXPECT_EQ(
            told(),
            R"({"queue":"job","ready":1,"working":1,"delayed":1,"failing":1})"
            "\n"
            R"({"queue":"job","key":{"name":"a","namespace":"default"},"state":"working","for":"1ms"})"
            "\n"
            R"({"queue":"job","key":{"name":"b","namespace":"default"},"state":"failing","failures":1,"nextTryIn":"4ms"})"
            "\n");
        queue.done(a);
    }
    EXPECT_EQ(told(), "") << "a queue that is gone tells nothing";
}

}  // namespace work_queue_test
}  // namespace muster::client
