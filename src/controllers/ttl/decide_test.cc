#include "controllers/ttl/decide.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers {
namespace {

using api::batch::Job;

// 2024-01-01T00:00:00Z, when the finished Jobs below finished.
constexpr Instant kFinish = Instant::from_unix_seconds(1704067200);

Job job(std::string_view yaml) {
    auto decoded = api::from_yaml<Job>(yaml);
    EXPECT_TRUE(decoded.ok()) << decoded.error().message;
    return *std::move(decoded);
}

TEST(DecideTtl, Table) {
    const std::string ended =
        R"("status": {"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}]})";
    struct Case {
        const char* name;
        std::string job;
        Instant now;
        TtlPlan want;
    } cases[] = {
        {"a running Job stays", R"({"spec": {"ttlSecondsAfterFinished": 10}})", kFinish, {}},
        {"a finished Job without a TTL stays", "{" + ended + "}", kFinish + 1h, {}},
        {"a finished Job waits out its TTL",
         R"({"spec": {"ttlSecondsAfterFinished": 10}, )" + ended + "}",
         kFinish + 3s,
         {.wake_at = kFinish + 10s}},
        {"it goes when the TTL has passed",
         R"({"spec": {"ttlSecondsAfterFinished": 10}, )" + ended + "}",
         kFinish + 10s,
         {.remove = true}},
        {"a TTL of zero means at once",
         R"({"spec": {"ttlSecondsAfterFinished": 0}, )" + ended + "}",
         kFinish,
         {.remove = true}},
        {"a finish in the future never deletes early",
         R"({"spec": {"ttlSecondsAfterFinished": 0}, )" + ended + "}",
         kFinish - 60s,
         {.wake_at = kFinish}},
        {"a Job being deleted is left alone",
         R"({"metadata": {"deletionTimestamp": "2024-01-01T00:00:00Z"}, "spec": {"ttlSecondsAfterFinished": 0}, )" +
             ended + "}",
         kFinish,
         {}},
        {"a condition that is not True is no end",
         R"({"spec": {"ttlSecondsAfterFinished": 0}, "status": {"conditions": [{"type": "Failed", "status": "False", "lastTransitionTime": "2024-01-01T00:00:00Z"}]}})",
         kFinish,
         {}},
    };
    for (const Case& c : cases) EXPECT_EQ(decide_ttl(job(c.job), c.now), c.want) << c.name;
}

}  // namespace
}  // namespace muster::controllers
