#include "os/loop/breath.h"

#include <gtest/gtest.h>

#include "os/loop/real_loop.h"
#include "os/loop/task.h"
#include "os/testing/virtual_loop.h"

namespace muster::os {
namespace breath_test {

// Continues until other work on the loop has had a turn.
Task<int> go_on(RealLoop& loop, const bool& other_had_turn) {
    Breath breath(loop);
    int pieces = 0;
    while (!other_had_turn) {
        ++pieces;
        co_await breath.take();
    }
    co_return pieces;
}

TEST(Breath, ATaskThatNeverWaitsLetsOthersHaveTheLoop) {
    RealLoop loop;
    bool had_turn = false;
    loop.post([&] { loop.post([&] { had_turn = true; }); });
    EXPECT_GT(loop.run(go_on(loop, had_turn)), 1);
}

// Posts at its start; gives whether that ran before the task ended.
Task<bool> take_breaths(Loop& loop, int count) {
    bool had_turn = false;
    loop.post([&had_turn] { had_turn = true; });
    Breath breath(loop);
    for (int i = 0; i < count; ++i) co_await breath.take();
    const bool interrupted = had_turn;
    while (!had_turn) co_await sleep_for(loop, 1ms);  // what was posted looks at it
    co_return interrupted;
}

TEST(Breath, ATaskThatDoesNotTakeLongIsNotInterrupted) {
    VirtualLoop loop;
    EXPECT_FALSE(loop.run(take_breaths(loop, 1000)));
}

void spin(Loop& loop, Duration span) {
    const Duration end = loop.uptime() + span;
    while (loop.uptime() < end) {
    }
}

Task<void> wait_then_work(Loop& loop, Event& start, int& left) {
    co_await start.wait();
    spin(loop, 20us);
    --left;
}

// Returns the number of pieces that it did until all other tasks had ended.
Task<int> count_pieces(Loop& loop, Event& start, const int& left) {
    co_await yield(loop);  // by now all of them wait
    start.notify();
    Breath breath(loop);
    int pieces = 0;
    while (left > 0) {
        spin(loop, 300us);
        co_await breath.take();
        ++pieces;
    }
    co_return pieces;
}

TEST(Breath, ATaskIsNotHeldUpByThousandsWhoAreWokenAtOnce) {
    RealLoop loop;
    Event start(loop);
    int left = 2000;
    TaskScope tasks(loop);
    for (int i = 0; i < 2000; ++i) tasks.spawn(wait_then_work(loop, start, left));
    EXPECT_GT(loop.run(count_pieces(loop, start, left)), 10);
}

// What it posts first drops it.
Task<void> breathe_then_say(Loop& loop, std::unique_ptr<TaskScope>& scope, bool& went_on) {
    Breath breath(loop);
    spin(loop, 1ms);
    loop.post([&scope] { scope.reset(); });
    co_await breath.take();
    went_on = true;
}

Task<bool> wait_until_dropped(Loop& loop, const std::unique_ptr<TaskScope>& scope) {
    while (scope) co_await yield(loop);
    co_await yield(loop);
    co_return true;
}

TEST(Breath, ATaskThatIsDroppedMeanwhileDoesNotGoOn) {
    RealLoop loop;
    bool went_on = false;
    auto tasks = std::make_unique<TaskScope>(loop);
    tasks->spawn(breathe_then_say(loop, tasks, went_on));
    EXPECT_TRUE(loop.run(wait_until_dropped(loop, tasks)));
    EXPECT_FALSE(went_on);
}

}  // namespace breath_test
}  // namespace muster::os
