#include "base/saturate.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace muster {
namespace saturate_test {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Saturate, ResultsStopAtTheEndsOfTheType) {
    const struct {
        const char* what;
        std::int64_t left;
        std::int64_t right;
        std::int64_t sum;
        std::int64_t difference;
        std::int64_t product;
    } cases[] = {
        {"small numbers", 7, -3, 4, 10, -21},
        {"zero and the most", 0, kMost, kMost, -kMost, 0},
        {"zero and the least", 0, kLeast, kLeast, kMost, 0},
        {"the most and one", kMost, 1, kMost, kMost - 1, kMost},
        {"the most and minus one", kMost, -1, kMost - 1, kMost, -kMost},
        {"the least and one", kLeast, 1, kLeast + 1, kLeast, kLeast},
        {"the least and minus one", kLeast, -1, kLeast, kLeast + 1, kMost},
        {"the most twice", kMost, kMost, kMost, 0, kMost},
        {"the least twice", kLeast, kLeast, kLeast, 0, kMost},
        {"the most and the least", kMost, kLeast, -1, kMost, kLeast},
        {"the least and the most", kLeast, kMost, -1, kLeast, kLeast},
        {"a product that just fits", kMost / 2, 2, kMost / 2 + 2, kMost / 2 - 2, kMost - 1},
        {"a product that just does not fit", kMost / 2 + 1, 2, kMost / 2 + 3, kMost / 2 - 1, kMost},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.what);
        EXPECT_EQ(add_sat(each.left, each.right), each.sum);
        EXPECT_EQ(add_sat(each.right, each.left), each.sum);
        EXPECT_EQ(sub_sat(each.left, each.right), each.difference);
        EXPECT_EQ(mul_sat(each.left, each.right), each.product);
        EXPECT_EQ(mul_sat(each.right, each.left), each.product);
    }
}

TEST(Saturate, NarrowAndUnsignedTypesHaveTheirOwnEnds) {
    EXPECT_EQ(add_sat<std::int32_t>(2147483647, 1), 2147483647);
    EXPECT_EQ(sub_sat<std::int32_t>(-2147483648, 1), -2147483648);
    EXPECT_EQ(mul_sat<std::int32_t>(-2147483648, -1), 2147483647);
    EXPECT_EQ(add_sat<std::uint64_t>(~0ULL, 1), ~0ULL);
    EXPECT_EQ(sub_sat<std::uint64_t>(1, 2), 0U);
    EXPECT_EQ(mul_sat<std::uint64_t>(~0ULL, 2), ~0ULL);
}

TEST(Saturate, AValueThatTheOtherTypeDoesNotHoldBecomesTheNearestThatItHolds) {
    EXPECT_EQ(saturate_cast<std::int32_t>(std::int64_t{-5}), -5);
    EXPECT_EQ(saturate_cast<std::int32_t>(kMost), 2147483647);
    EXPECT_EQ(saturate_cast<std::int32_t>(kLeast), -2147483648);
    EXPECT_EQ(saturate_cast<std::uint32_t>(std::int64_t{-1}), 0U);
    EXPECT_EQ(saturate_cast<std::int64_t>(~0ULL), kMost);
}

TEST(Saturate, AFractionBecomesAWholeNumberThatTheTypeHolds) {
    const struct {
        double value;
        std::int64_t whole;
    } cases[] = {{0, 0},
                 {2.9, 2},
                 {-2.9, -2},
                 {9007199254740993.0, 9007199254740992},
                 {9223372036854774784.0, 9223372036854774784},
                 {9223372036854775808.0, kMost},
                 {-9223372036854775808.0, kLeast},
                 {1e308, kMost},
                 {-1e308, kLeast},
                 {std::numeric_limits<double>::infinity(), kMost},
                 {-std::numeric_limits<double>::infinity(), kLeast},
                 {std::numeric_limits<double>::quiet_NaN(), 0}};
    for (const auto& each : cases) EXPECT_EQ(saturate_cast<std::int64_t>(each.value), each.whole) << each.value;
    EXPECT_EQ(saturate_cast<std::int32_t>(2147483647.5), 2147483647);
    EXPECT_EQ(saturate_cast<std::int32_t>(2147483648.0), 2147483647);
    EXPECT_EQ(saturate_cast<std::uint32_t>(-1.0), 0U);
}

}  // namespace saturate_test
}  // namespace muster
