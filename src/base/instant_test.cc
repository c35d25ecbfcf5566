#include "base/instant.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster {
namespace instant_test {

TEST(Instant, SecondsAreRoundedDownBeforeTheEpochToo) {
    EXPECT_EQ(Instant::from_unix(1999ms).unix_seconds(), 1);
    EXPECT_EQ(Instant::from_unix(2000ms).unix_seconds(), 2);
    EXPECT_EQ(Instant::from_unix(-1ns).unix_seconds(), -1);
    EXPECT_EQ(Instant::from_unix(-1000ms).unix_seconds(), -1);
}

TEST(Instant, DiffersFromAnotherByASpan) {
    const Instant start = Instant::from_unix_seconds(1'700'000'000);
    EXPECT_EQ((start + 90s) - start, 90s);
    EXPECT_EQ(start - 1h + 1h, start);
    EXPECT_LT(start, start + 1ns);
    EXPECT_EQ(Instant(), Instant::from_unix(0s));
}

constexpr std::int64_t kSecondsMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSecondsMin = std::numeric_limits<std::int64_t>::min();

TEST(Instant, StopsAtTheEarliestAndTheLatest) {
    const Instant start = Instant::from_unix_seconds(1'700'000'000);
    EXPECT_EQ(Instant::max() + 1ns, Instant::max());
    EXPECT_EQ(Instant::min() - 1ns, Instant::min());
    EXPECT_EQ(Instant::max() - Duration::min(), Instant::max());
    EXPECT_EQ(Instant::min() - Duration::min(), Instant());
    EXPECT_EQ(Instant() - Duration::min(), Instant::max());
    EXPECT_EQ(start + std::chrono::seconds(kSecondsMax), Instant::max());
    EXPECT_EQ(start - std::chrono::seconds(kSecondsMin), Instant::max());
    EXPECT_EQ(start + std::chrono::seconds(kSecondsMin), start + Duration::min());
    EXPECT_EQ(start - std::chrono::hours(kSecondsMax), start - Duration::max());
    EXPECT_EQ(Instant::from_unix_seconds(kSecondsMax), Instant::max());
    EXPECT_EQ(Instant::from_unix_seconds(kSecondsMin), Instant::min());
    EXPECT_EQ(Instant::from_unix_seconds(Instant::min().unix_seconds()), Instant::min());
}

TEST(Instant, DiffersFromAnotherByTheLongestSpanAtMost) {
    EXPECT_EQ(Instant::max() - Instant::min(), Duration::max());
    EXPECT_EQ(Instant::min() - Instant::max(), Duration::min());
    EXPECT_EQ(Instant() - Instant::min(), Duration::max());
    EXPECT_EQ(Instant::min() - Instant::min(), 0ns);
}

TEST(Duration, SpansOfAnyUnitStopAtTheLongest) {
    EXPECT_EQ(seconds_sat(90), 90s);
    EXPECT_EQ(seconds_sat(-9'223'372'036), -9'223'372'036s);
    EXPECT_EQ(seconds_sat(9'223'372'037), Duration::max());
    EXPECT_EQ(seconds_sat(kSecondsMin), Duration::min());
    EXPECT_EQ(duration_sat(std::chrono::days(2147483647)), Duration::max());
    EXPECT_EQ(add_sat(Duration::max(), 1s), Duration::max());
    EXPECT_EQ(sub_sat(0s, Duration::min()), Duration::max());
    EXPECT_EQ(mul_sat(Duration::max(), 2), Duration::max());
    EXPECT_EQ(mul_sat(3s, 4), 12s);
}

}  // namespace instant_test
}  // namespace muster
