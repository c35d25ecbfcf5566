#include "os/loop/gather.h"

#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"

namespace muster::os {
namespace gather_test {

Task<int> count_and_sleep(Loop& loop, int value, Duration span, int& running, int& most) {
    most = std::max(most, ++running);
    co_await sleep_for(loop, span);
    --running;
    co_return value;
}

struct GatherTest : testing::Test {
    std::vector<Task<int>> tasks(int count) {
        std::vector<Task<int>> out;
        for (int i = 0; i < count; ++i) out.push_back(count_and_sleep(loop, i, (count - i) * 1s, running, most));
        return out;
    }
    VirtualLoop loop;
    int running = 0;
    int most = 0;
};

TEST_F(GatherTest, RunsAllAtOnceAndGivesTheirValuesInOrder) {
    EXPECT_EQ(loop.run(gather(loop, tasks(4))), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(most, 4);
    EXPECT_EQ(loop.uptime(), 4s);
    EXPECT_TRUE(loop.run(gather(loop, tasks(0))).empty());
}

TEST_F(GatherTest, RunsNoMoreThanWasAllowed) {
    EXPECT_EQ(loop.run(gather(loop, tasks(7), 2)).size(), 7u);
    EXPECT_EQ(most, 2);
}

TEST_F(GatherTest, MayBeDestroyedWhileItRuns) {
    {
        TaskScope scope(loop);
        scope.spawn([](Loop& on, std::vector<Task<int>> many) -> Task<void> {
            (void)co_await gather(on, std::move(many));
        }(loop, tasks(3)));
        loop.run_for(1s);
        EXPECT_EQ(running, 2);
    }
    EXPECT_EQ(loop.timers(), 0u) << "what was under way went with it";
}

}  // namespace gather_test
}  // namespace muster::os
