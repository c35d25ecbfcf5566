#include "os/loop/task.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/testing/virtual_loop.h"

namespace muster::os {
namespace task_test {

using Journal = std::vector<std::string>;

Task<int> give(int value) { co_return value; }
Task<int> add_slowly(Loop& loop, int left, int right) {
    co_await sleep_for(loop, 1s);
    co_return co_await give(left) + co_await give(right);
}

TEST(Task, DoesNothingBeforeItIsAwaited) {
    bool ran = false;
    {
        auto task = [](bool& flag) -> Task<void> {
            flag = true;
            co_return;
        }(ran);
    }
    EXPECT_FALSE(ran);
}

TEST(Task, GivesItsValueThroughNestedTasksAndSleeps) {
    VirtualLoop loop;
    EXPECT_EQ(loop.run(add_slowly(loop, 2, 3)), 5);
    EXPECT_EQ(loop.uptime(), 1s);
}

TEST(Task, CarriesValuesThatOnlyMove) {
    VirtualLoop loop;
    auto value = loop.run([]() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(9); }());
    EXPECT_EQ(*value, 9);
}

Task<Result<int>> fail() { co_return Error{Code::kConflict, "no"}; }
Task<Result<int>> pass_on() {
    CO_TRY_ASSIGN(int value, co_await fail());
    co_return value + 1;
}

TEST(Task, ErrorsAreValuesThatTryPassesOn) {
    VirtualLoop loop;
    EXPECT_EQ(loop.run(pass_on()).error().code, Code::kConflict);
}

Task<int> sum_of(int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await give(1);
    co_return sum;
}

TEST(Task, AMillionTasksThatEndAtOnceNeedNoStack) {
    VirtualLoop loop;
    EXPECT_EQ(loop.run(sum_of(1'000'000)), 1'000'000);
}

Task<int> sum_with_turns(Loop& loop, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        co_await yield(loop);
        sum += co_await give(1);
    }
    co_return sum;
}

TEST(Task, AHundredThousandTurnsNeedNoStack) {
    VirtualLoop loop;
    EXPECT_EQ(loop.run(sum_with_turns(loop, 100'000)), 100'000);
}

Task<void> note_after(Loop& loop, Duration delay, std::string name, Journal& journal) {
    co_await sleep_for(loop, delay);
    journal.push_back(std::move(name));
}

TEST(Spawn, TasksInterleaveByTheirTimers) {
    VirtualLoop loop;
    Journal journal;
    spawn(loop, note_after(loop, 3s, "third", journal));
    spawn(loop, note_after(loop, 1s, "first", journal));
    spawn(loop, note_after(loop, 2s, "second", journal));
    loop.run_for(10s);
    EXPECT_EQ(journal, (Journal{"first", "second", "third"}));
}

TEST(Spawn, StartsOnALaterTurn) {
    VirtualLoop loop;
    Journal journal;
    spawn(loop, [](Journal& out) -> Task<void> {
        out.push_back("task");
        co_return;
    }(journal));
    journal.push_back("spawner");
    loop.run_until_idle();
    EXPECT_EQ(journal, (Journal{"spawner", "task"}));
}

// Says when it goes, however it goes.
struct Goodbye {
    Journal& journal;
    std::string name;
    ~Goodbye() { journal.push_back("bye " + name); }
};
Task<void> inner(Loop& loop, Journal& journal) {
    Goodbye goodbye{journal, "inner"};
    co_await sleep_for(loop, 1h);
    journal.push_back("never");
}
Task<void> outer(Loop& loop, Journal& journal) {
    Goodbye goodbye{journal, "outer"};
    co_await inner(loop, journal);
}

TEST(TaskScope, DestroyingItCancelsWaitingTasksAndTheirTimers) {
    VirtualLoop loop;
    Journal journal;
    {
        TaskScope scope(loop);
        scope.spawn(outer(loop, journal));
        loop.run_until_idle();
        EXPECT_EQ(loop.timers(), 1u);
        EXPECT_FALSE(scope.idle());
    }
    EXPECT_EQ(journal, (Journal{"bye inner", "bye outer"}));
    EXPECT_EQ(loop.timers(), 0u);
    loop.run_for(2h);
    EXPECT_EQ(journal.size(), 2u);
}

TEST(TaskScope, ForgetsTasksThatEnded) {
    VirtualLoop loop;
    Journal journal;
    TaskScope scope(loop);
    scope.spawn(note_after(loop, 1s, "done", journal));
    EXPECT_FALSE(scope.idle());
    loop.run_for(1s);
    EXPECT_TRUE(scope.idle());
}

TEST(TaskScope, ATaskCancelledBeforeItsFirstTurnNeverStarts) {
    VirtualLoop loop;
    Journal journal;
    {
        TaskScope scope(loop);
        scope.spawn(outer(loop, journal));
    }
    loop.run_until_idle();
    EXPECT_TRUE(journal.empty());
}

TEST(Loop, DestroyingItDestroysWhatWasSpawned) {
    Journal journal;
    {
        VirtualLoop loop;
        spawn(loop, outer(loop, journal));
        loop.run_until_idle();
    }
    EXPECT_EQ(journal, (Journal{"bye inner", "bye outer"}));
}

Task<void> wait_for(Event& event, std::string name, Journal& journal) {
    co_await event.wait();
    journal.push_back(std::move(name));
}

TEST(Loop, DestroyingItDestroysWhatTimersAndPostsCarry) {
    Journal journal;
    {
        VirtualLoop loop;
        auto scope = std::make_shared<TaskScope>(loop);
        scope->spawn(outer(loop, journal));
        loop.run_until_idle();
        loop.post([scope] {});
        loop.after(1s, [scope = std::move(scope)] {});
    }
    EXPECT_EQ(journal, (Journal{"bye inner", "bye outer"}));
}

TEST(Event, WakesAllWaitersInOrderAndNoLaterOnes) {
    VirtualLoop loop;
    Event event(loop);
    Journal journal;
    spawn(loop, wait_for(event, "a", journal));
    spawn(loop, wait_for(event, "b", journal));
    loop.run_until_idle();
    event.notify();
    EXPECT_TRUE(journal.empty()) << "the notifier runs on before those it wakes";
    spawn(loop, wait_for(event, "late", journal));
    loop.run_until_idle();
    EXPECT_EQ(journal, (Journal{"a", "b"}));
    EXPECT_TRUE(event.awaited());
}

TEST(Event, AWaiterCancelledAfterTheNotificationIsNotResumed) {
    VirtualLoop loop;
    Event event(loop);
    Journal journal;
    TaskScope scope(loop);
    spawn(loop, wait_for(event, "a", journal));
    scope.spawn(wait_for(event, "gone", journal));
    spawn(loop, wait_for(event, "b", journal));
    loop.run_until_idle();
    event.notify();
    scope.cancel();
    loop.run_until_idle();
    EXPECT_EQ(journal, (Journal{"a", "b"}));
}

Task<void> cancel_other(Event& event, TaskScope& other) {
    co_await event.wait();
    other.cancel();
}

TEST(Event, AWaiterCancelledByTheOneResumedBeforeItIsNotResumed) {
    VirtualLoop loop;
    Event event(loop);
    Journal journal;
    TaskScope scope(loop);
    spawn(loop, cancel_other(event, scope));
    scope.spawn(wait_for(event, "gone", journal));
    loop.run_until_idle();
    event.notify();
    loop.run_until_idle();
    EXPECT_TRUE(journal.empty());
}

Task<std::string> await_value(Completion<std::string> completion) { co_return co_await completion; }

TEST(Completion, GivesItsValueToWaitersBeforeAndAfter) {
    VirtualLoop loop;
    Completion<std::string> early(loop);
    early.resolve("before");
    EXPECT_EQ(loop.run(await_value(early)), "before");

    Completion<std::string> late(loop);
    loop.after(5s, [late] { late.resolve("after"); });
    EXPECT_EQ(loop.run(await_value(late)), "after");
    EXPECT_EQ(loop.uptime(), 5s);
}

Task<void> discard(Completion<std::string> completion) { co_await completion; }

TEST(Completion, MayBeResolvedWhenItsWaiterIsGone) {
    VirtualLoop loop;
    Completion<std::string> completion(loop);
    {
        TaskScope scope(loop);
        scope.spawn(discard(completion));
        loop.run_until_idle();
    }
    completion.resolve("unused");
    loop.run_until_idle();
}

TEST(CompletionDeathTest, IsResolvedOnce) {
    VirtualLoop loop;
    Completion<int> completion(loop);
    completion.resolve(1);
    EXPECT_DEATH(completion.resolve(2), "resolved once");
}

TEST(TaskDeathTest, AnExceptionThatNoTaskHandlesEndsTheProcess) {
    VirtualLoop loop;
    EXPECT_DEATH(loop.run([]() -> Task<void> {
        throw 1;
        co_return;
    }()),
                 "no exception leaves a Task");
}

TEST(Offload, GoesOnWithWhatTheWorkerGave) {
    VirtualLoop loop;
    VirtualWorker worker(loop, 1, 2s, 2s);
    EXPECT_EQ(loop.run(offload(loop, worker, [] { return 42; })), 42);
    EXPECT_EQ(loop.uptime(), 2s);
}

}  // namespace task_test
}  // namespace muster::os
