#include "os/loop/work.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace muster::os {
namespace work_test {

TEST(Work, CarriesWhatCannotBeCopied) {
    int seen = 0;
    Work work = [&seen, value = std::make_unique<int>(7)] { seen = *value; };
    Work moved = std::move(work);
    EXPECT_FALSE(work);  // NOLINT(bugprone-use-after-move)
    moved();
    EXPECT_EQ(seen, 7);
}

TEST(Work, CarriesWhatDoesNotFitInPlace) {
    std::array<int, 100> numbers{};
    numbers[99] = 5;
    int seen = 0;
    Work work = [numbers, &seen] { seen = numbers[99]; };
    Work moved;
    moved = std::move(work);
    moved();
    EXPECT_EQ(seen, 5);
}

TEST(Work, DestroysWhatItCarriesOnceWhetherCalledOrNot) {
    auto counted = std::make_shared<int>(0);
    std::array<char, 200> big{};
    {
        Work small = [counted] {};
        Work large = [counted, big] { (void)big; };
        EXPECT_EQ(counted.use_count(), 3);
        small();
        Work moved = std::move(large);
        EXPECT_EQ(counted.use_count(), 3);
        small = std::move(moved);
        EXPECT_EQ(counted.use_count(), 2);
    }
    EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace work_test
}  // namespace muster::os
