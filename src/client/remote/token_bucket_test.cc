#include "client/remote/token_bucket.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace token_bucket_test {

TEST(TokenBucket, GivesABurstAndThenOneTokenPerInterval) {
    TokenBucket bucket({.qps = 10, .burst = 3});
    Duration now = 1h;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(now)) << i;
    EXPECT_FALSE(bucket.take(now));
    EXPECT_EQ(bucket.ready_at(), now + 100ms);
    EXPECT_FALSE(bucket.take(now + 99ms));
    EXPECT_TRUE(bucket.take(now + 100ms));
    EXPECT_FALSE(bucket.take(now + 100ms));
    now += 1h;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(now)) << "a long pause gives a burst and no more";
    EXPECT_FALSE(bucket.take(now));
}

TEST(TokenBucket, WithoutARateGivesAlways) {
    TokenBucket bucket(RequestRate{});
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bucket.take(1s));
}

TEST(TokenBucket, ABurstIsOneAtLeast) {
    TokenBucket bucket({.qps = 0.5, .burst = 0});
    EXPECT_TRUE(bucket.take(0s));
    EXPECT_FALSE(bucket.take(1s));
    EXPECT_TRUE(bucket.take(2s));
}

}  // namespace token_bucket_test
}  // namespace muster::client
