#include "os/loop/guard.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "os/loop/gather.h"
#include "os/loop/within.h"
#include "os/testing/virtual_loop.h"

namespace muster::os {
namespace guard_test {

Task<int> give(Loop& loop, int value) {
    co_await yield(loop);
    co_return value;
}
Task<int> fail(Loop& loop, bool at_once) {
    if (!at_once) co_await yield(loop);
    throw std::length_error("too long");
}
Task<int> fail_below(Loop& loop, bool at_once) { co_return co_await fail(loop, at_once) + 1; }
Task<int> fail_among(Loop& loop) {
    std::vector<Task<int>> tasks;
    tasks.push_back(give(loop, 1));
    tasks.push_back(fail(loop, false));
    tasks.push_back(give(loop, 2));
    co_return static_cast<int>((co_await gather(loop, std::move(tasks))).size());
}
Task<int> fail_in_time(Loop& loop) {
    const auto value = co_await within(loop, 10s, fail(loop, false));
    co_return value.value_or(0);
}
Task<int> fail_elsewhere(Loop& loop, Worker& worker) {
    co_return co_await offload(loop, worker, []() -> int { throw std::length_error("too long"); });
}

TEST(Guard, TurnsAnExceptionOfATaskIntoAnError) {
    VirtualLoop loop;
    VirtualWorker worker(loop);
    const auto said = [&](Task<int> task) {
        const Result<int> result = loop.run(guarded(std::move(task)));
        return result.ok() ? std::to_string(*result) : result.error().message;
    };
    EXPECT_EQ(said(give(loop, 7)), "7");
    EXPECT_EQ(said(fail(loop, true)), "too long") << "before the task has waited";
    EXPECT_EQ(said(fail(loop, false)), "too long") << "after the task has waited";
    EXPECT_EQ(said(fail_below(loop, true)), "too long") << "through a task that awaits it";
    EXPECT_EQ(said(fail_below(loop, false)), "too long") << "through a task that awaits it, later";
    EXPECT_EQ(said(fail_among(loop)), "too long") << "of one of several tasks";
    EXPECT_EQ(said(fail_in_time(loop)), "too long") << "of a task that has only so much time";
    EXPECT_EQ(said(fail_elsewhere(loop, worker)), "too long") << "on another thread";
}

Task<void> fail_at_last(Loop& loop) {
    co_await yield(loop);
    throw std::length_error("too long");
}

TEST(Guard, ReportsAnExceptionOfATaskThatNothingAwaits) {
    VirtualLoop loop;
    TaskScope scope(loop);
    testing::internal::CaptureStderr();
    scope.spawn(apart(fail_at_last(loop), "the work on pod a/b"));
    EXPECT_TRUE(loop.run_until([&] { return scope.idle(); }));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "muster: the work on pod a/b failed: too long\n");
}

TEST(GuardDeathTest, AnExceptionThatNothingHandlesEndsTheProcessWithItsText) {
    EXPECT_DEATH(
        {
            VirtualLoop loop;
            spawn(loop, fail_at_last(loop));
            (void)loop.run_until([] { return false; });
        },
        "too long");
}

}  // namespace guard_test
}  // namespace muster::os
