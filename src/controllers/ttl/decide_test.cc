#include "controllers/ttl/decide.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers {
namespace ttl_decide_test {

using api::batch::Job;
using api::core::Pod;

// 2024-01-01T00:00:00Z, when the finished Jobs below finished.
constexpr Instant kFinish = Instant::from_unix_seconds(1704067200);

template <class K>
K ttl_object(std::string_view yaml) {
    auto decoded = api::from_yaml<K>(yaml);
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
         kFinish + 12s,
         {.remove = true, .expired_at = kFinish + 10s}},
        {"a TTL of zero means at once",
         R"({"spec": {"ttlSecondsAfterFinished": 0}, )" + ended + "}",
         kFinish,
         {.remove = true, .expired_at = kFinish}},
        {"a finish in the future never deletes early, and is reported",
         R"({"spec": {"ttlSecondsAfterFinished": 0}, )" + ended + "}",
         kFinish - 60s,
         {.wake_at = kFinish, .finished_in_future = true}},
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
    for (const Case& c : cases) EXPECT_EQ(decide_ttl(ttl_object<Job>(c.job), c.now), c.want) << c.name;
}

TEST(DecidePodTtl, Table) {
    const std::string ran =
        R"({"phase": "Succeeded", "containerStatuses": [
            {"state": {"terminated": {"finishedAt": "2023-12-31T23:59:00Z"}}},
            {"state": {"terminated": {"finishedAt": "2024-01-01T00:00:00Z"}}}]})";
    const std::string evicted =
        R"({"phase": "Failed", "conditions": [{"type": "Ready", "lastTransitionTime": "2024-01-01T00:00:00Z"},
            {"type": "PodScheduled", "lastTransitionTime": "2023-12-31T23:00:00Z"}]})";
    const std::string field = R"("spec": {"ttlSecondsAfterFinished": 10})";
    const auto annotated = [](const char* value) {
        return std::string(R"("metadata": {"annotations": {"muster.dev/ttl-seconds-after-finished": ")") + value +
               "\"}}";
    };
    const auto labelled = [](const char* value) {
        return std::string(R"("metadata": {"labels": {"muster.dev/ttl-seconds-after-finished": ")") + value + "\"}}";
    };
    struct Case {
        const char* name;
        std::string pod;
        Instant now;
        TtlPlan want;
    } cases[] = {
        {"a label counts like the annotation",
         "{" + labelled("7") + R"(, "status": )" + ran + "}",
         kFinish,
         {.wake_at = kFinish + 7s}},
        {"the annotation wins over the label",
         R"({"metadata": {"labels": {"muster.dev/ttl-seconds-after-finished": "7"},
             "annotations": {"muster.dev/ttl-seconds-after-finished": "9"}}, "status": )" +
             ran + "}",
         kFinish,
         {.wake_at = kFinish + 9s}},
        {"a label that is no number of seconds keeps the pod and is reported",
         "{" + labelled("soon") + R"(, "status": )" + ran + "}",
         kFinish + 1h,
         {.unreadable = UnreadableTtl{true, "soon"}}},
        {"a running pod stays", "{" + field + R"(, "status": {"phase": "Running"}})", kFinish, {}},
        {"a finished pod without a TTL stays", R"({"status": )" + ran + "}", kFinish + 1h, {}},
        {"the time runs from the end of the last container",
         "{" + field + R"(, "status": )" + ran + "}",
         kFinish + 3s,
         {.wake_at = kFinish + 10s}},
        {"the pod goes when it has passed",
         "{" + field + R"(, "status": )" + ran + "}",
         kFinish + 10s,
         {.remove = true, .expired_at = kFinish + 10s}},
        {"a pod that never ran ended when its conditions last changed",
         "{" + field + R"(, "status": )" + evicted + "}",
         kFinish,
         {.wake_at = kFinish + 10s}},
        {"a pod without conditions ended when it was made",
         R"({"metadata": {"creationTimestamp": "2024-01-01T00:00:00Z"}, )" + field +
             R"(, "status": {"phase": "Failed"}})",
         kFinish,
         {.wake_at = kFinish + 10s}},
        {"where the field is unknown the annotation counts",
         "{" + annotated("7") + R"(, "status": )" + ran + "}",
         kFinish,
         {.wake_at = kFinish + 7s}},
        {"the field wins over the annotation",
         "{" + annotated("7") + ", " + field + R"(, "status": )" + ran + "}",
         kFinish,
         {.wake_at = kFinish + 10s}},
        {"an annotation that is no number of seconds keeps the pod and is reported",
         "{" + annotated("7m") + R"(, "status": )" + ran + "}",
         kFinish + 1h,
         {.unreadable = UnreadableTtl{false, "7m"}}},
        {"so does a negative one",
         "{" + annotated("-1") + R"(, "status": )" + ran + "}",
         kFinish + 1h,
         {.unreadable = UnreadableTtl{false, "-1"}}},
        {"an end in the future never deletes early, and is reported",
         R"({"spec": {"ttlSecondsAfterFinished": 0}, "status": )" + ran + "}",
         kFinish - 1s,
         {.wake_at = kFinish, .finished_in_future = true}},
        {"a pod being deleted is left alone",
         R"({"metadata": {"deletionTimestamp": "2024-01-01T00:00:00Z"}, )" + field + R"(, "status": )" + ran + "}",
         kFinish + 1h,
         {}},
    };
    for (const Case& c : cases) EXPECT_EQ(decide_ttl(ttl_object<Pod>(c.pod), c.now), c.want) << c.name;
}

}  // namespace ttl_decide_test
}  // namespace muster::controllers
