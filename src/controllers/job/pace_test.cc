#include "controllers/job/pace.h"

#include <gtest/gtest.h>

#include "controllers/job/survey.h"
#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace job_pace_test {

constexpr std::int64_t kKilobyte = 1024;

TEST(StatusPace, SaysHowLongAStatusWaits) {
    const StatusNews numbers{.active = 100, .any = true};
    const auto ends = [](std::size_t count, std::int64_t active) {
        return StatusNews{.ends = count, .active = active, .any = true};
    };
    const auto with = [](StatusNews news, bool StatusNews::*flag) {
        news.*flag = true;
        return news;
    };
    const auto written = [](Duration ago, std::int64_t bytes = 500) { return LastStatus{100s - ago, bytes}; };
    const struct {
        const char* name;
        StatusNews news;
        LastStatus last;
        std::optional<Duration> wait;
    } cases[] = {
        {"nothing to tell is not told", {.active = 100}, written(1h), std::nullopt},
        {"the first status does not wait", numbers, {}, 0s},
        {"numbers wait for the rest of the period", numbers, written(300ms), 700ms},
        {"numbers that have waited for a period go", numbers, written(1s), 0s},
        {"ends wait for the period", ends(499, 100), written(300ms), 700ms},
        {"ends that have gathered go", ends(500, 100), written(10ms), 0s},
        {"ends of a Job with few pods wait as long", ends(1, 1), written(50ms), 950ms},
        {"numbers of a small Job wait for the period", {.active = 1, .any = true}, written(5ms), 995ms},
        {"what is announced goes", with(numbers, &StatusNews::announces), written(10ms), 0s},
        {"when nothing runs any more, nothing is waited for", with(ends(3, 0), &StatusNews::at_rest), written(10ms),
         0s},
        {"a large status follows another no sooner than its bytes allow", ends(500, 100),
         written(100ms, 512 * kKilobyte), 1900ms},
        {"neither does the end of a Job with a large status", with(numbers, &StatusNews::announces),
         written(1s, 512 * kKilobyte), 1s},
        {"a status of a second's bytes waits for the period", ends(1, 100), written(100ms, 128 * kKilobyte), 900ms},
    };
    for (const auto& each : cases)
        EXPECT_EQ(decide_status_pace(each.news, each.last, 100s, kClusterPace), each.wait) << each.name;
}

std::string print(const StatusNews& news) {
    std::string out = "ends " + std::to_string(news.ends) + " active " + std::to_string(news.active);
    if (news.announces) out += " announces";
    if (news.at_rest) out += " at-rest";
    if (!news.any) out += " nothing";
    return out;
}

constexpr const char* kJob =
    "{'metadata': {'name': 'j', 'namespace': 'n', 'uid': 'u1', 'generation': 1}, 'spec': {'parallelism': 3, "
    "'completions': 3, 'backoffLimit': 6, 'completionMode': 'NonIndexed', 'template': {'spec': {'restartPolicy': "
    "'Never'}}}, 'status': {'startTime': '2023-12-31T23:00:00Z', 'ready': 0, 'terminating': 0}}";

TEST(StatusNews, IsWhatTheStoredStatusDoesNotTell) {
    const struct {
        const char* name;
        const char* patch;  // of the Job
        PodCases pods;
        std::size_t coming;
        const char* news;
    } cases[] = {
        {"a Job that was never started", "{'status': {'startTime': null}}", {}, 3, "ends 0 active 3 announces"},
        {"pods that run and are told of",
         "{'status': {'active': 1}}",
         {{"a", "running"}},
         0,
         "ends 0 active 1 nothing"},
        {"a pod that is being made is active", "{'status': {'active': 1}}", {{"a", "running"}}, 1, "ends 0 active 2"},
        {"a pod has become ready", "{'status': {'active': 1}}", {{"a", "ready"}}, 0, "ends 0 active 1"},
        {"a pod has ended beside others",
         "{'status': {'active': 2}}",
         {{"a", "succeeded"}, {"b", "running"}},
         0,
         "ends 1 active 1"},
        {"a pod has ended and its place is being filled",
         "{'status': {'active': 1}}",
         {{"a", "succeeded"}},
         1,
         "ends 1 active 1"},
        {"nothing runs any more", "{'status': {'active': 1}}", {{"a", "failed"}}, 0, "ends 1 active 0 at-rest"},
        {"the last pod on its way out is waited for",
         "{'status': {'active': 1}}",
         {{"a", "failed"}, {"b", "running deleting bare"}},
         0,
         "ends 1 active 0"},
        {"enough have succeeded",
         "{'status': {'active': 1}}",
         {{"a", "succeeded"}, {"b", "succeeded"}, {"c", "succeeded"}},
         0,
         "ends 3 active 0 announces at-rest"},
        {"all are counted and the Job is complete",
         "{'status': {'succeeded': 3}}",
         {},
         0,
         "ends 0 active 0 announces at-rest"},
        {"names that are numbers by now",
         "{'status': {'active': 1, 'uncountedTerminatedPods': {'succeeded': ['x']}}}",
         {{"b", "running"}},
         0,
         "ends 0 active 1"},
        {"too many failures are an end",
         "{'spec': {'backoffLimit': 0}, 'status': {'active': 2}}",
         {{"a", "failed"}, {"b", "running"}},
         0,
         "ends 1 active 1 announces"},
        {"an end that is recorded is no news, its pods are",
         "{'spec': {'backoffLimit': 0}, 'status': {'active': 1, 'conditions': [{'type': 'FailureTarget', 'status': "
         "'True'}]}}",
         {{"a", "failed"}, {"b", "running deleting"}},
         0,
         "ends 2 active 0"},
        {"a suspension",
         "{'spec': {'suspend': true}, 'status': {'active': 1}}",
         {{"a", "running"}},
         0,
         "ends 0 active 1 announces"},
        {"a suspended Job that another controller left its start time",
         "{'spec': {'suspend': true}, 'status': {'conditions': [{'type': 'Suspended', 'status': 'True'}]}}",
         {},
         0,
         "ends 0 active 0 announces at-rest"},
        {"a suspended Job at rest",
         "{'spec': {'suspend': true}, 'status': {'startTime': null, 'conditions': [{'type': 'Suspended', 'status': "
         "'True'}]}}",
         {},
         0,
         "ends 0 active 0 at-rest nothing"},
        {"a Job that is being deleted lets go of its pods",
         "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}, 'status': {'active': 1}}",
         {{"a", "running"}},
         0,
         "ends 0 active 1 announces"},
    };
    for (const auto& each : cases) {
        const Job job = api::make_object<Job>(kJob, each.patch);
        const std::vector<PodRef> pods = make_pods(each.pods);
        const JobView view{job, pods, {}, {}, {}, kNow};
        EXPECT_EQ(print(find_news(view, make_survey(view), each.coming)), each.news) << each.name;
    }
}

TEST(StatusBytes, GrowWithNamesAndIndexes) {
    api::batch::JobStatus status;
    const std::int64_t least = estimate_bytes(status);
    status.completed_indexes = std::string(100'000, '1');
    EXPECT_GT(estimate_bytes(status), least + 99'000);
    status.uncounted_terminated_pods.edit().succeeded = List<Text>(std::vector<Text>(500, "u"));
    EXPECT_GT(estimate_bytes(status), least + 115'000);
}

TEST(RefillDelay, GrowsWithThePodsThatHaveToBeLookedAt) {
    EXPECT_EQ(decide_refill_delay(1), 5ms);
    EXPECT_EQ(decide_refill_delay(1000), 25ms);
    EXPECT_EQ(decide_refill_delay(100'000), 100ms);
}

}  // namespace job_pace_test
}  // namespace muster::controllers::jobs
