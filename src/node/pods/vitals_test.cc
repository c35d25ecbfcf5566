#include "node/pods/vitals.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster::node {
namespace vitals_test {

TEST(Spans, OfAnyNumberOfSecondsCanBeAddedToNow) {
    using Limits = std::numeric_limits<std::int64_t>;
    EXPECT_EQ(span_of(30), 30s);
    EXPECT_EQ(span_of(-1), -1s);
    const Instant now = Instant::from_unix_seconds(2'000'000'000);
    EXPECT_GT(now + span_of(Limits::max()), now);
    EXPECT_LT(now + span_of(Limits::min()), now);
    api::core::Pod pod;
    pod.spec.termination_grace_period_seconds = Limits::max();
    EXPECT_GT(pod_grace(pod), 24h * 365 * 99);
}

}  // namespace vitals_test
}  // namespace muster::node
