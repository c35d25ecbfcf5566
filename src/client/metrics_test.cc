#include "client/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>

namespace muster::client {
namespace metrics_test {

using testing::HasSubstr;
using testing::Not;

const MetricInfo kDone{"done_total", "What was done."};
const MetricInfo kTook{"took_seconds", "How long it took.", {1, 10}};
const MetricInfo kStands{"stands", "How it stands."};

TEST(Metrics, EverythingOfAnObjectThatIsGoneIsForgotten) {
    Metrics metrics;
    for (const char* queue : {"a", "b"}) {
        metrics.count(kDone, {{"queue", queue}, {"reason", "x"}});
        metrics.observe(kTook, {{"queue", queue}}, 3);
        metrics.set(kStands, {{"queue", queue}}, 1);
    }
    metrics.count(kDone, {{"other", "a"}});
    metrics.forget({{"queue", "a"}});
    EXPECT_THAT(metrics.format(), Not(HasSubstr("queue=\"a\"")));
    for (const char* line : {R"(done_total{queue="b",reason="x"} 1)", R"(took_seconds_count{queue="b"} 1)",
                             R"(stands{queue="b"} 1)", R"(done_total{other="a"} 1)"})
        EXPECT_THAT(metrics.format(), HasSubstr(line));
    metrics.count(kDone, {{"queue", "a"}, {"reason", "x"}});
    EXPECT_THAT(metrics.format(), HasSubstr(R"(done_total{queue="a",reason="x"} 1)")) << "it begins at zero";
    metrics.forget({{"queue", "b"}, {"reason", "x"}});
    EXPECT_THAT(metrics.format(), HasSubstr(R"(took_seconds_count{queue="b"} 1)")) << "it has not all of the labels";
    EXPECT_THAT(metrics.format(), Not(HasSubstr(R"(done_total{queue="b")")));
}

TEST(Metrics, LabelsThatUsersChooseAreBounded) {
    Metrics metrics;
    for (std::size_t i = 0; i < Metrics::kSeriesMax + 5; ++i) metrics.count(kDone, {{"user", std::to_string(i)}});
    EXPECT_THAT(metrics.format(), HasSubstr(R"(done_total{user="other"} 5)"));
    metrics.count(kDone, {{"user", "0"}});
    EXPECT_THAT(metrics.format(), HasSubstr(R"(done_total{user="0"} 2)")) << "those that are there go on";
}

}  // namespace metrics_test
}  // namespace muster::client
