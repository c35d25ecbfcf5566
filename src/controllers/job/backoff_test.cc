#include "controllers/job/backoff.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace backoff_test {

std::vector<Instant> ago(std::initializer_list<int> seconds) {
    std::vector<Instant> times;
    for (const int s : seconds) times.push_back(kNow - std::chrono::seconds(s));
    return times;
}

TEST(Backoff, RemembersFailuresSinceTheLastSuccess) {
    struct Case {
        const char* name;
        BackoffRecord before;
        std::vector<Instant> successes;
        std::vector<Instant> failures;
        BackoffRecord want;
    } cases[] = {
        {"nothing happened", {2, kNow - 9s}, {}, {}, {2, kNow - 9s}},
        {"failures add up, the last one tells the time", {2, kNow - 60s}, {}, ago({9, 3, 7}), {5, kNow - 3s}},
        {"an older failure seen late does not turn the clock back", {1, kNow - 5s}, {}, ago({50}), {2, kNow - 5s}},
        {"a success forgets them", {2, kNow - 9s}, ago({3}), {}, {}},
        {"but for those strictly after it", {2, kNow - 60s}, ago({8}), ago({9, 8, 3, 5}), {2, kNow - 3s}},
        {"the last success counts", {}, ago({9, 2}), ago({5}), {}},
        {"a failure in the future is now", {}, {}, ago({-3600}), {1, kNow}},
    };
    for (const Case& c : cases) EXPECT_EQ(update_backoff(c.before, c.successes, c.failures, kNow), c.want) << c.name;
}

TEST(Backoff, DoublesUpToTenMinutes) {
    struct Case {
        std::int32_t failures;
        int seconds;
    } cases[] = {{1, 10}, {2, 20}, {3, 40}, {6, 320}, {7, 600}, {8, 600}, {1000, 600}, {2147483647, 600}};
    for (const Case& c : cases) {
        const BackoffRecord record{c.failures, kNow};
        const Duration delay = std::chrono::seconds(c.seconds);
        EXPECT_EQ(backoff_end(record, {}, kNow), kNow + delay) << c.failures;
        EXPECT_EQ(backoff_end(record, {}, kNow + delay - 1s), kNow + delay) << c.failures;
        EXPECT_EQ(backoff_end(record, {}, kNow + delay), std::nullopt) << c.failures;
    }
    EXPECT_EQ(backoff_end(BackoffRecord{}, {}, kNow), std::nullopt);
}

// #114650: upstream forgets the delay when its controller restarts.
TEST(Backoff, IsRebuiltFromPodsThatWereCounted) {
    const Job job = api::make_job("{'status': {'uncountedTerminatedPods': {'failed': ['named']}}}");
    const auto pods = make_pods({{"a", "succeeded bare end-90"},
                                 {"b", "failed bare end-95"},
                                 {"c", "failed bare end-40"},
                                 {"named", "failed end-30"},
                                 {"new", "failed end-5"},
                                 {"running", "running"}});
    EXPECT_EQ(rebuild_backoff(job, {}, pods, kNow), (BackoffRecord{2, kNow - 30s}))
        << "what no status has told of yet is left to the next sync";

    const Job indexed = api::make_job(
        "{'spec': {'completionMode': 'Indexed', 'completions': 3}, 'status': {'completedIndexes': '1', 'succeeded': "
        "1}}");
    const auto told = make_pods({{"a", "failed bare #0 end-50"}, {"b", "succeeded #1 end-40"}});
    EXPECT_EQ(rebuild_backoff(indexed, {}, told, kNow), BackoffRecord{}) << "its index has been told";
    const auto untold = make_pods({{"a", "failed bare #0 end-50"}, {"b", "succeeded #2 end-40"}});
    EXPECT_EQ(rebuild_backoff(indexed, {}, untold, kNow), (BackoffRecord{1, kNow - 50s}));
}

}  // namespace backoff_test
}  // namespace muster::controllers::jobs
