#include "base/prng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace muster {
namespace prng_test {

TEST(Splitmix64, GivesThePublishedNumbers) {
    std::uint64_t state = 1234567;
    EXPECT_EQ(splitmix64(state), 6457827717110365317u);
    EXPECT_EQ(splitmix64(state), 3203168211198807973u);
    EXPECT_EQ(splitmix64(state), 9817491932198370423u);
}

TEST(Prng, GivesThePublishedNumbersOfXoshiro256StarStar) {
    Prng prng(Prng::State{1, 2, 3, 4});
    for (const std::uint64_t expected :
         {11520ul, 0ul, 1509978240ul, 1215971899390074240ul, 1216172134540287360ul, 607988272756665600ul})
        EXPECT_EQ(prng.next(), expected);
}

TEST(Prng, TheSameSeedGivesTheSameNumbersAndAnotherSeedOthers) {
    Prng first(7);
    Prng same(7);
    Prng other(8);
    int differing = 0;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t number = first.next();
        EXPECT_EQ(number, same.next());
        differing += number != other.next();
    }
    EXPECT_EQ(differing, 100);
}

TEST(Prng, BelowReachesEveryNumberAboutEquallyOften) {
    Prng prng(1);
    std::vector<int> counts(10);
    for (int i = 0; i < 100'000; ++i) ++counts[prng.below(10)];
    for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

// With a bound of three quarters of 2^64, taking the remainder would give the lower third of the numbers twice as
// often.
TEST(Prng, BelowIsFairForBoundsThatDoNotDivide) {
    Prng prng(2);
    const std::uint64_t bound = 3ull << 62;
    int lowest_third = 0;
    for (int i = 0; i < 30'000; ++i) {
        const std::uint64_t number = prng.below(bound);
        ASSERT_LT(number, bound);
        lowest_third += number < bound / 3;
    }
    EXPECT_NEAR(lowest_third, 10'000, 400);
}

TEST(Prng, BetweenIncludesBothEndsAndReachesAcrossZero) {
    Prng prng(3);
    std::vector<int> counts(5);
    for (int i = 0; i < 1'000; ++i) ++counts[static_cast<std::size_t>(prng.between(-2, 2) + 2)];
    for (const int count : counts) EXPECT_GT(count, 100);
    EXPECT_EQ(prng.between(5, 5), 5);
    using Limits = std::numeric_limits<std::int64_t>;
    bool negative = false;
    bool positive = false;
    for (int i = 0; i < 100; ++i) (prng.between(Limits::min(), Limits::max()) < 0 ? negative : positive) = true;
    EXPECT_TRUE(negative && positive);
}

TEST(Prng, ChanceKeepsItsOddsAndItsCertainties) {
    Prng prng(4);
    int hits = 0;
    int halves = 0;
    for (int i = 0; i < 10'000; ++i) {
        hits += prng.chance(1, 4);
        halves += prng.chance(0.5);
        EXPECT_FALSE(prng.chance(0, 4));
        EXPECT_TRUE(prng.chance(4, 4));
        EXPECT_FALSE(prng.chance(0.0));
        EXPECT_TRUE(prng.chance(1.0));
    }
    EXPECT_NEAR(hits, 2'500, 200);
    EXPECT_NEAR(halves, 5'000, 250);
}

TEST(Prng, ShuffleKeepsTheItemsAndReachesEveryOrder) {
    Prng prng(5);
    std::vector<std::vector<int>> orders;
    for (int i = 0; i < 600; ++i) {
        std::vector<int> items{1, 2, 3};
        prng.shuffle(items);
        orders.push_back(items);
    }
    std::sort(orders.begin(), orders.end());
    EXPECT_NEAR(std::count(orders.begin(), orders.end(), (std::vector<int>{3, 1, 2})), 100, 40);
    orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
    EXPECT_EQ(orders.size(), 6u);
}

TEST(Prng, WhatASplitGeneratorDrawsDoesNotChangeItsOrigin) {
    Prng left(6);
    Prng right(6);
    Prng child = left.split();
    right.split();
    for (int i = 0; i < 10; ++i) child.next();
    EXPECT_EQ(left.next(), right.next());
}

}  // namespace prng_test
}  // namespace muster
