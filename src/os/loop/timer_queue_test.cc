#include "os/loop/timer_queue.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace muster::os {
namespace timer_queue_test {

std::vector<int> run_due(TimerQueue& timers, Duration now, std::vector<int>& ran) {
    ran.clear();
    while (Work work = timers.take_due(now)) work();
    return ran;
}

TEST(TimerQueue, TimersDueTogetherRunInTheOrderMade) {
    TimerQueue timers;
    std::vector<int> ran;
    for (int i = 0; i < 50; ++i) timers.add(5ns, [&ran, i] { ran.push_back(i); });
    timers.add(4ns, [&ran] { ran.push_back(-1); });
    EXPECT_TRUE(run_due(timers, 3ns, ran).empty());
    run_due(timers, 5ns, ran);
    ASSERT_EQ(ran.size(), 51u);
    for (int i = 0; i < 51; ++i) EXPECT_EQ(ran[i], i - 1);
}

TEST(TimerQueue, AnOldIdNeverNamesALaterTimer) {
    TimerQueue timers;
    const TimerId first = timers.add(1ns, [] {});
    timers.cancel(first);
    timers.add(2ns, [] {});
    timers.cancel(first);
    timers.cancel(0);
    timers.cancel(~TimerId{0});
    EXPECT_EQ(timers.size(), 1u);
    EXPECT_EQ(timers.next_deadline(), 2ns);
}

TEST(TimerQueue, ACancelledTimerLeavesAtOnceWithWhatItCarried) {
    TimerQueue timers;
    auto carried = std::make_shared<int>(0);
    const TimerId timer = timers.add(1h, [carried] {});
    EXPECT_EQ(carried.use_count(), 2);
    timers.cancel(timer);
    EXPECT_EQ(carried.use_count(), 1);
    EXPECT_TRUE(timers.empty());
}

TEST(TimerQueue, AgreesWithASortedMapUnderRandomAddsAndCancels) {
    Prng prng(1);
    TimerQueue timers;
    std::map<std::pair<std::int64_t, int>, TimerId> model;
    std::vector<int> ran;
    std::int64_t now = 0;
    for (int i = 0; i < 20'000; ++i) {
        if (prng.chance(2, 3) || model.empty()) {
            const std::int64_t deadline = now + prng.between(0, 300);
            model[{deadline, i}] = timers.add(Duration(deadline), [&ran, i] { ran.push_back(i); });
        } else if (prng.chance(1, 2)) {
            auto victim = model.begin();
            std::advance(victim, static_cast<std::ptrdiff_t>(prng.below(std::min<std::size_t>(model.size(), 20))));
            timers.cancel(victim->second);
            model.erase(victim);
        } else {
            now += prng.between(0, 10);
            run_due(timers, Duration(now), ran);
            std::vector<int> expected;
            while (!model.empty() && model.begin()->first.first <= now) {
                expected.push_back(model.begin()->first.second);
                model.erase(model.begin());
            }
            ASSERT_EQ(ran, expected);
        }
        ASSERT_EQ(timers.size(), model.size());
    }
}

}  // namespace timer_queue_test
}  // namespace muster::os
