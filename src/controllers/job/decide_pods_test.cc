#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace decide_pods_test {

struct Case {
    const char* name;
    const char* job;  // merged into a Job whose template just runs
    PodCases pods;
    const char* want;
    Limits limits{};
    BackoffRecord backoff{};
};

void check(const Case& c) {
    const Job job = api::make_job(c.job);
    const auto pods = make_pods(c.pods);
    const JobView view{.job = job, .pods = pods, .backoff = c.backoff, .limits = c.limits, .now = kNow};
    EXPECT_EQ(print(decide_pods(view)), c.want) << c.name;
    EXPECT_EQ(print(decide_pods(view)), c.want) << "a second time: " << c.name;
    run_sync(view);
}

constexpr const char* kStarted = "2023-12-31T23:00:00Z";

TEST(DecidePods, MakesAsManyAsAreMissing) {
    const Case cases[] = {
        {"a plain Job makes one pod", "{}", {}, "+x1"},
        {"up to parallelism", "{'spec': {'completions': 10, 'parallelism': 4}}", {}, "+x4"},
        {"#91235: no more than are left to complete, though the counted pods are gone",
         "{'spec': {'completions': 10, 'parallelism': 4}, 'status': {'succeeded': 8}}",
         {},
         "+x2"},
        {"pods on their way into the counters are done",
         "{'spec': {'completions': 10, 'parallelism': 4}, 'status': {'succeeded': 6, 'uncountedTerminatedPods': "
         "{'succeeded': ['x']}}}",
         {{"a", "succeeded"}, {"b", "running"}},
         "+x1"},
        {"active ones are not made again",
         "{'spec': {'completions': 10, 'parallelism': 4}}",
         {{"a", "pending"}, {"b", "running"}},
         "+x2"},
        {"parallelism 0 makes none", "{'spec': {'completions': 10, 'parallelism': 0}}", {}, ""},
        {"completions 0 makes none", "{'spec': {'completions': 0}}", {}, ""},
        {"a work queue fills parallelism", "{'spec': {'parallelism': 3}}", {{"a", "running"}}, "+x2"},
        {"a work queue makes none after the first success, and lets the others end",
         "{'spec': {'parallelism': 3}}",
         {{"a", "running"}, {"b", "succeeded"}},
         ""},
        {"a Job that is being deleted makes none",
         "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}, 'spec': {'parallelism': 3}}",
         {},
         ""},
        {"a bounded number at once, and the rest right after",
         "{'spec': {'completions': 9, 'parallelism': 9}}",
         {},
         "+x2 wake+0",
         {.create_delete_max = 2}},
        {"a pod that is being deleted is replaced at once",
         "{'spec': {'completions': 2, 'parallelism': 2}}",
         {{"a", "running deleting end-100"}, {"b", "running"}},
         "+x1"},
        {"with replacement policy Failed it is waited for",
         "{'spec': {'completions': 2, 'parallelism': 2, 'podReplacementPolicy': 'Failed'}}",
         {{"a", "running deleting"}, {"b", "running"}},
         ""},
        {"#121147: more are terminating than may run, with replacement policy Failed",
         "{'spec': {'completions': 2, 'parallelism': 1, 'podReplacementPolicy': 'Failed'}}",
         {{"a", "running deleting"}, {"b", "running deleting"}, {"c", "running"}},
         ""},
        {"#111646: a pod named as failed that shows success is no completion",
         "{'spec': {'completions': 2, 'parallelism': 2}, 'status': {'uncountedTerminatedPods': {'failed': ['a']}}}",
         {{"a", "succeeded"}},
         "+x2"},
    };
    for (const Case& c : cases) check(c);
}

TEST(DecidePods, RemovesWhatIsTooMuchWithoutCountingIt) {
    const Case cases[] = {
        {"#103644: scaled down, the finalizer goes first",
         "{'spec': {'completions': 5, 'parallelism': 1}}",
         {{"a", "running"}, {"b", "pending"}},
         "-b!"},
        {"a pod whose finalizer is gone needs no release",
         "{'spec': {'completions': 5, 'parallelism': 1}}",
         {{"a", "running bare"}, {"b", "running"}},
         "-a"},
        {"a bounded number at once",
         "{'spec': {'completions': 5, 'parallelism': 0}}",
         {{"a", "running"}, {"b", "running"}, {"c", "running"}},
         "-a! -b! wake+0",
         {.create_delete_max = 2}},
        {"more than are left to complete",
         "{'spec': {'completions': 2, 'parallelism': 2}, 'status': {'succeeded': 1}}",
         {{"a", "running"}, {"b", "ready"}},
         "-a!"},
        {"removing comes before making",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}}",
         {{"a", "running #0"}, {"b", "pending #0"}},
         "-b!"},
        {"suspension removes all active pods at once",
         "{'spec': {'completions': 5, 'parallelism': 3, 'suspend': true}}",
         {{"a", "running"}, {"b", "pending"}, {"c", "succeeded"}, {"d", "running deleting"}},
         "-a! -b!",
         {.create_delete_max = 1}},
    };
    for (const Case& c : cases) check(c);
}

TEST(DecidePods, IndexedJobsHaveOnePodPerIndex) {
    const Case cases[] = {
        {"lowest indexes first",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'parallelism': 3}}",
         {},
         "+0 +1 +2"},
        {"neither done nor running ones",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 4}, 'status': {'succeeded': 2, "
         "'completedIndexes': '0,2'}}",
         {{"a", "running #1"}, {"b", "succeeded #4"}},
         "+3 +5 +6"},
        {"a failed index runs again",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}}",
         {{"a", "failed #1 end-100"}, {"b", "running #0"}},
         "+1 +2"},
        {"an index whose pod is being deleted runs again",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2}}",
         {{"a", "running #1 deleting end-100"}, {"b", "running #0"}},
         "+1"},
        {"with replacement policy Failed not yet, but others do",
         "{'spec': {'completionMode': 'Indexed', 'completions': 4, 'parallelism': 3, 'podReplacementPolicy': "
         "'Failed'}}",
         {{"a", "running #1 deleting"}, {"b", "running #0"}},
         "+2"},
        {"of two with the same index the one that started later goes",
         "{'spec': {'completionMode': 'Indexed', 'completions': 4, 'parallelism': 4}}",
         {{"a", "ready #1 on-node"}, {"b", "running #1 on-node"}, {"c", "running #0"}},
         "-b!"},
        {"a pod without an index goes: the upgrade after a downgrade of KEP-2214",
         "{'spec': {'completionMode': 'Indexed', 'completions': 4, 'parallelism': 4}}",
         {{"a", "running"}, {"b", "running #x"}, {"c", "running #-1"}, {"d", "running #0"}},
         "-a! -b! -c!"},
        {"#115349: scaled down, indexes beyond go",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2}, 'status': {'succeeded': 3, "
         "'completedIndexes': '0,2,4'}}",
         {{"a", "running #1"}, {"b", "running #3"}},
         "-b!"},
        {"a pod of an index that is done goes, not one that is needed",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}, 'status': {'succeeded': 1, "
         "'completedIndexes': '2'}}",
         {{"a", "pending #0"}, {"b", "pending #1"}, {"c", "ready #2"}},
         "-c!"},
        {"duplicates are found beside pods of finished indexes",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 9}, 'status': {'succeeded': 1, "
         "'completedIndexes': '0'}}",
         {{"a", "running #0"}, {"b", "running #1"}, {"c", "running #1"}},
         "-a! -b!"},
    };
    for (const Case& c : cases) check(c);
}

TEST(DecidePods, WaitsAfterFailures) {
    const Case cases[] = {
        {"ten seconds after the first",
         "{'spec': {'completions': 2, 'parallelism': 2}}",
         {{"a", "failed end-3"}},
         "wake+7"},
        {"no longer", "{'spec': {'completions': 2, 'parallelism': 2}}", {{"a", "failed end-10"}}, "+x2"},
        {"twice that after the second",
         "{'spec': {'completions': 2, 'parallelism': 2}}",
         {{"a", "failed end-3"}, {"b", "failed end-5"}},
         "wake+17"},
        {"with what is remembered",
         "{'spec': {'completions': 2, 'parallelism': 2}}",
         {{"a", "failed end-3"}},
         "wake+37",
         {},
         {.failures_since_success = 2, .last_failure = kNow - 60s}},
        {"a success ends the wait",
         "{'spec': {'completions': 3, 'parallelism': 1}}",
         {{"a", "failed end-3"}, {"b", "succeeded end-2"}},
         "+x1"},
        {"#119434: an ignored failure delays, too",
         "{'spec': {'completions': 2, 'parallelism': 2, 'podFailurePolicy': {'rules': [{'action': 'Ignore', "
         "'onExitCodes': {'operator': 'In', 'values': [7]}}]}}}",
         {{"a", "failed exit7 end-3"}},
         "wake+7"},
        {"#139428: what is active stays so while others wait",
         "{'spec': {'completions': 3, 'parallelism': 2}}",
         {{"a", "failed end-3"}, {"b", "ready"}},
         "wake+7"},
        {"nothing is made anyway, so nothing is waited for",
         "{'spec': {'completions': 3, 'parallelism': 1}}",
         {{"a", "failed end-3"}, {"b", "running"}},
         ""},
    };
    for (const Case& c : cases) check(c);
}

TEST(DecidePods, WithBackoffPerIndexEachWaitsForItself) {
    constexpr const char* kJob =
        "{'spec': {'completionMode': 'Indexed', 'completions': 4, 'parallelism': 2, 'backoffLimitPerIndex': 2}}";
    const Case cases[] = {
        {"a first failure is handed on", kJob, {{"a", "failed #0 f0 end-10"}, {"b", "running #1"}}, "+0(1,0)"},
        {"an index that waits lets others go first", kJob, {{"a", "failed #0 f0 end-4"}, {"b", "running #1"}}, "+2"},
        {"when all wait, until the first may go",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2, 'backoffLimitPerIndex': 2}}",
         {{"a", "failed #0 f1 end-4"}, {"b", "failed #1 f0 end-4"}},
         "wake+6"},
        {"and no sooner when one plan could not make them all",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3, 'backoffLimitPerIndex': 2}}",
         {{"a", "failed #0 f1 end-4"}, {"b", "failed #1 f0 end-4"}, {"c", "failed #2 f1 end-4"}},
         "wake+6",
         {.create_delete_max = 2}},
        {"the delay grows with the failures of that index",
         "{'spec': {'completionMode': 'Indexed', 'completions': 1, 'parallelism': 1, 'backoffLimitPerIndex': 9}}",
         {{"a", "failed #0 f2 i1 end-4"}},
         "wake+76"},
        {"of several failed pods the last one counts",
         "{'spec': {'completionMode': 'Indexed', 'completions': 1, 'parallelism': 1, 'backoffLimitPerIndex': 9}}",
         {{"a", "failed #0 f0 end-90"}, {"b", "failed #0 f1 end-30"}},
         "+0(2,0)"},
        {"an ignored failure is handed on as such",
         "{'spec': {'completionMode': 'Indexed', 'completions': 1, 'parallelism': 1, 'backoffLimitPerIndex': 1, "
         "'podFailurePolicy': {'rules': [{'action': 'Ignore', 'onExitCodes': {'operator': 'In', 'values': [7]}}]}}}",
         {{"a", "failed #0 f1 i2 exit7 end-200"}},
         "+0(1,3)"},
        {"a failed index is not made again", kJob, {{"a", "failed #0 f2 end-100"}, {"b", "running #1"}}, "+2"},
        {"a malformed count is zero", kJob, {{"a", "failed #0 fx end-10"}, {"b", "running #1"}}, "+0(1,0)"},
        {"too large a count is zero", kJob, {{"a", "failed #0 f99999999999 end-10"}, {"b", "running #1"}}, "+0(1,0)"},
        {"a negative count is zero", kJob, {{"a", "failed #0 f-3 end-10"}, {"b", "running #1"}}, "+0(1,0)"},
        {"the whole Job does not wait for one index",
         kJob,
         {{"a", "failed #3 f0 end-1"}},
         "+0 +1",
         {},
         {.failures_since_success = 5, .last_failure = kNow}},
    };
    for (const Case& c : cases) check(c);
}

// A crash between a removal and its announcement would leave pods that look like failures.
TEST(DecidePods, AnEndIsAnnouncedBeforeActivePodsAreDeleted) {
    const std::string deadline = std::string(
                                     "{'spec': {'completions': 5, 'parallelism': 2, 'activeDeadlineSeconds': "
                                     "3600}, 'status': {'startTime': '") +
                                 kStarted + "'}}";
    const Case cases[] = {
        {"the deadline has passed: nothing is made, nothing goes yet", deadline.c_str(), {{"a", "running"}}, ""},
        {"#110294: the deadline is waited for at every look, also after a restart",
         "{'spec': {'completions': 5, 'parallelism': 1, 'activeDeadlineSeconds': 3660}, 'status': {'startTime': "
         "'2023-12-31T23:00:00Z'}}",
         {{"a", "running"}},
         "wake+60"},
        {"it counts from the first look", "{'spec': {'activeDeadlineSeconds': 5}}", {{"a", "running"}}, "wake+5"},
        {"it does not run while the Job is suspended",
         "{'spec': {'activeDeadlineSeconds': 5, 'suspend': true}, 'status': {'startTime': '2023-12-31T23:00:00Z'}}",
         {},
         ""},
        {"#135128: resumed, it counts from now, whatever start was left standing",
         "{'spec': {'activeDeadlineSeconds': 5}, 'status': {'startTime': '2023-12-31T23:00:00Z', 'conditions': "
         "[{'type': 'Suspended', 'status': 'True', 'reason': 'JobSuspended', 'message': 'Job suspended'}]}}",
         {{"a", "running"}},
         "wake+5"},
        {"a deadline of all eternity is no deadline of the past",
         "{'spec': {'activeDeadlineSeconds': 9223372036854775807}}",
         {{"a", "running"}},
         "wake+7519304836"},
        {"too many failures",
         "{'spec': {'completions': 5, 'parallelism': 3, 'backoffLimit': 1}}",
         {{"a", "failed"}, {"b", "failed"}, {"c", "running"}},
         ""},
        {"announced, all go at once",
         "{'spec': {'completions': 5, 'parallelism': 3}, 'status': {'conditions': [{'type': 'FailureTarget', "
         "'status': 'True', 'reason': 'X', 'message': 'Y'}]}}",
         {{"a", "failed"}, {"b", "running"}, {"c", "pending"}, {"d", "running deleting"}},
         "-b -c",
         {.create_delete_max = 1}},
        {"after a success, too",
         "{'spec': {'completions': 5, 'parallelism': 3}, 'status': {'conditions': [{'type': 'SuccessCriteriaMet', "
         "'status': 'True', 'reason': 'X', 'message': 'Y'}]}}",
         {{"a", "running"}},
         "-a"},
        {"#125985: a condition that is not True is no end",
         "{'spec': {'completions': 1, 'parallelism': 1}, 'status': {'conditions': [{'type': 'FailureTarget', "
         "'status': 'False', 'reason': 'X', 'message': 'Y'}]}}",
         {{"a", "running"}},
         ""},
        {"a Job that is being deleted ends as well",
         "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}, 'status': {'conditions': [{'type': "
         "'FailureTarget', 'status': 'True', 'reason': 'X', 'message': 'Y'}]}}",
         {{"a", "failed"}, {"b", "running"}},
         "-b"},
    };
    for (const Case& c : cases) check(c);
}

TEST(DecidePods, LeavesOthersAlone) {
    const Case cases[] = {
        {"a Job of another controller", "{'spec': {'managedBy': 'example.com/other'}}", {{"a", "failed"}}, ""},
        {"one that names us is ours", "{'spec': {'managedBy': 'kubernetes.io/job-controller'}}", {}, "+x1"},
        {"#130333: a finished Job",
         "{'spec': {'completions': 3, 'parallelism': 3}, 'status': {'startTime': '2023-12-31T23:00:00Z', "
         "'completionTime': '2024-01-01T00:00:00Z', 'succeeded': 1, 'conditions': [{'type': 'SuccessCriteriaMet', "
         "'status': 'True'}, {'type': 'Complete', 'status': 'True'}]}}",
         {},
         ""},
    };
    for (const Case& c : cases) check(c);
}

TEST(DecidePods, SaysWhyAModeIsNotHandled) {
    Job job = api::make_job("{}");
    job.spec.completion_mode = Text("Sorted");
    EXPECT_EQ(print(decide_pods({.job = job, .pods = {}, .now = kNow})), "note:UnknownCompletionMode");

    job = api::make_job("{'spec': {'completionMode': 'Indexed', 'completions': 3}}");
    const auto pods = make_pods({{"a", "running #0"}, {"b", "failed #1"}});
    const JobView off{.job = job, .pods = pods, .gates = {.indexed_job = false}, .now = kNow};
    const Sync sync = run_sync(off);
    EXPECT_EQ(print(sync.pods), "note:IndexedJobDisabled");
    EXPECT_TRUE(sync.status.empty()) << "neither counted nor told";

    job.metadata.deletion_timestamp = api::Time::from_instant(kNow);
    EXPECT_EQ(print_names(run_sync(off).status.release), "a b") << "it cannot go before its pods";
}

}  // namespace decide_pods_test
}  // namespace muster::controllers::jobs
