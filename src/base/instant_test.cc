#include "base/instant.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

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

}  // namespace
}  // namespace muster
