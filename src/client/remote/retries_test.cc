#include "client/remote/retries.h"

#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace retries_test {

os::HttpAnswerHead head_of(int status, const char* retry_after) {
    os::HttpAnswerHead head;
    head.status = status;
    if (*retry_after != '\0') head.headers.push_back({"retry-after", retry_after});
    return head;
}

struct RetriesTest : testing::Test {
    // Whether the request is sent again, and when.
    static os::Task<void> ask(Retries& retries, os::HttpAnswerHead head, int& times, std::optional<bool>& again) {
        again = co_await retries.again(head, times);
    }
    bool again(int status, const char* retry_after) {
        std::optional<bool> answer;
        scope.spawn(ask(retries, head_of(status, retry_after), times, answer));
        EXPECT_TRUE(loop.run_until([&] { return answer.has_value(); }, 10min));
        return answer.value_or(false);
    }
    os::VirtualLoop loop;
    Limiter limiter{loop, 8};
    Retries retries{loop, limiter, 2};
    int times = 0;
    os::TaskScope scope{loop};
};

TEST_F(RetriesTest, WaitsAsLongAsTheServerAsksAndSlowsTheOthersDown) {
    const Duration began = loop.uptime();
    EXPECT_TRUE(again(429, "4"));
    EXPECT_GE(loop.uptime() - began, 4s);
    EXPECT_LE(loop.uptime() - began, 6s);
    EXPECT_EQ(times, 1);
}

TEST_F(RetriesTest, SlowsDownOnlyWhenTheServerHasTooMuchToDo) {
    EXPECT_FALSE(again(429, ""));
    EXPECT_EQ(limiter.limit(), 4u);
    EXPECT_FALSE(again(500, "1"));
    EXPECT_EQ(limiter.limit(), 4u);
}

TEST_F(RetriesTest, GivesUpAfterSoManyTimes) {
    EXPECT_TRUE(again(503, "1"));
    EXPECT_TRUE(again(503, "1"));
    EXPECT_FALSE(again(503, "1"));
    EXPECT_EQ(times, 2);
}

}  // namespace retries_test
}  // namespace muster::client
