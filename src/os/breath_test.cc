#include "os/breath.h"

#include <gtest/gtest.h>

#include "os/real_loop.h"
#include "os/task.h"
#include "os/testing/virtual_loop.h"

namespace muster::os {
namespace {

// Goes on until somebody else has had a turn.
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

TEST(Breath, WhereNothingTakesLongNobodyIsInterrupted) {
    VirtualLoop loop;
    EXPECT_FALSE(loop.run(take_breaths(loop, 1000)));
}

}  // namespace
}  // namespace muster::os
