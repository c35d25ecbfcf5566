#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace decide_status_test {

struct Case {
    const char* name;
    const char* job;
    PodCases pods;
    const char* status;   // after the sync
    const char* release;  // finalizers that go once it is stored
    Limits limits{};
};

Sync check(const Case& c) {
    const Job job = api::make_job(c.job);
    const auto pods = make_pods(c.pods);
    const JobView view{.job = job, .pods = pods, .limits = c.limits, .now = kNow};
    Sync sync = run_sync(view);
    EXPECT_EQ(print(sync.after), c.status) << c.name;
    EXPECT_EQ(print_names(sync.status.release), c.release) << c.name;
    return sync;
}
template <std::size_t kCount>
void check_all(const Case (&cases)[kCount]) {
    for (const Case& c : cases) check(c);
}

TEST(DecideStatus, NamesThenReleasesThenCounts) {
    const Case cases[] = {
        {"a finished pod is named before it loses its finalizer",
         "{'spec': {'completions': 3, 'parallelism': 2}}",
         {{"a", "succeeded"}, {"b", "running"}},
         "a2 r0 t0 s0[a] f0[]",
         "a"},
        {"one that lost it becomes a number, and the next is named in the same write",
         "{'spec': {'completions': 4, 'parallelism': 1}, 'status': {'succeeded': 1, 'uncountedTerminatedPods': "
         "{'succeeded': ['gone']}}}",
         {{"a", "succeeded"}},
         "a1 r0 t0 s2[a] f0[]",
         "a"},
        {"one that still has it stays named, and loses it again",
         "{'spec': {'completions': 4, 'parallelism': 1}, 'status': {'uncountedTerminatedPods': {'failed': ['a']}}}",
         {{"a", "failed end-100"}, {"b", "running"}},
         "a1 r0 t0 s0[] f0[a]",
         "a"},
        {"a pod that others delete counts as failed at once",
         "{'spec': {'completions': 4, 'parallelism': 1}}",
         {{"a", "running deleting"}, {"b", "running"}},
         "a1 r0 t1 s0[] f0[a]",
         "a"},
        {"with replacement policy Failed when it has ended",
         "{'spec': {'completions': 4, 'parallelism': 1, 'podReplacementPolicy': 'Failed'}}",
         {{"a", "running deleting"}},
         "a0 r0 t1 s0[] f0[]",
         ""},
        {"a pod that we removed does not count",
         "{'spec': {'completions': 4, 'parallelism': 1}}",
         {{"a", "running deleting bare"}, {"b", "running"}},
         "a1 r0 t1 s0[] f0[]",
         ""},
        {"#111646: named as failed it stays so when it shows success",
         "{'spec': {'completions': 4, 'parallelism': 1}, 'status': {'uncountedTerminatedPods': {'failed': ['a']}}}",
         {{"a", "succeeded"}, {"b", "running"}},
         "a1 r0 t0 s0[] f0[a]",
         "a"},
        {"#125410: named as succeeded it stays so when it shows failure",
         "{'spec': {'completions': 4, 'parallelism': 1}, 'status': {'uncountedTerminatedPods': {'succeeded': "
         "['a']}}}",
         {{"a", "failed end-100"}, {"b", "running"}},
         "a1 r0 t0 s0[a] f0[]",
         "a"},
        {"#104666: a batch is bounded, and no name is dropped before its finalizer is gone",
         "{'spec': {'completions': 9, 'parallelism': 1}, 'status': {'uncountedTerminatedPods': {'succeeded': ['c']}}}",
         {{"a", "succeeded"}, {"b", "succeeded"}, {"c", "succeeded"}, {"d", "running"}},
         "a1 r0 t0 s0[c,a] f0[]",
         "c a",
         {.uncounted_max = 2}},
        {"a full list is worked off before it grows",
         "{'spec': {'completions': 9, 'parallelism': 1}, 'status': {'uncountedTerminatedPods': {'succeeded': ['x', "
         "'y']}}}",
         {{"a", "succeeded"}, {"b", "running"}, {"x", "succeeded"}, {"y", "succeeded"}},
         "a1 r0 t0 s0[x,y] f0[]",
         "x y",
         {.uncounted_max = 2}},
        {"#121342: a pod that is terminating now is news by itself",
         "{'spec': {'completions': 2, 'parallelism': 1, 'podReplacementPolicy': 'Failed'}, 'status': {'active': 1, "
         "'ready': 0, 'terminating': 0, 'startTime': '2023-12-31T23:00:00Z', 'uncountedTerminatedPods': {}}}",
         {{"a", "running deleting"}},
         "a0 r0 t1 s0[] f0[]",
         ""},
        {"#109429: a Job that is being deleted keeps no finalizer on its pods",
         "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:00Z'}, 'spec': {'completions': 9, 'parallelism': 3}}",
         {{"a", "succeeded"}, {"b", "running"}, {"c", "failed"}},
         "a1 r0 t0 s0[a] f0[c]",
         "a b c"},
    };
    check_all(cases);
}

TEST(DecideStatus, IndexedJobsTellIndexesInsteadOfNames) {
    const Case cases[] = {
        {"a success is its index",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 1}, 'status': {'succeeded': 2, "
         "'completedIndexes': '0,1'}}",
         {{"a", "succeeded #2"}, {"b", "running #5"}},
         "a1 r0 t0 s3[] f0[] done=0-2",
         "a"},
        {"a failure is a name",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 1}}",
         {{"a", "failed #2 end-100"}, {"b", "running #5"}},
         "a1 r0 t0 s0[] f0[a]",
         "a"},
        {"two successes of one index count once",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 1}}",
         {{"a", "succeeded #2"}, {"b", "succeeded #2"}, {"c", "running #5"}},
         "a1 r0 t0 s1[] f0[] done=2",
         "a b"},
        {"an index told before its finalizer could be removed is told once",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 1}, 'status': {'succeeded': 1, "
         "'completedIndexes': '2'}}",
         {{"a", "succeeded #2"}, {"b", "running #5"}},
         "a1 r0 t0 s1[] f0[] done=2",
         "a"},
        {"pods without an index, or beyond completions, are let go uncounted",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 1}}",
         {{"a", "succeeded"}, {"b", "failed #3"}, {"c", "succeeded #7"}, {"d", "running #0"}},
         "a1 r0 t0 s0[] f0[]",
         "a b c"},
        {"KEP-2214: lowest indexes lose their finalizers first; all are told",
         "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 1}}",
         {{"a", "succeeded #5"}, {"b", "succeeded #3"}, {"c", "succeeded #4"}, {"d", "running #0"}},
         "a1 r0 t0 s3[] f0[] done=3-5",
         "b c",
         {.uncounted_max = 2}},
        {"#115349: scaled down, completed indexes beyond are forgotten",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 3}, 'status': {'succeeded': 4, "
         "'completedIndexes': '0,3-5'}}",
         {{"a", "running #1"}, {"b", "running #2"}},
         "a2 r0 t0 s1[] f0[] done=0",
         ""},
        {"scaled down and parallelism changed since: the number may not go back, the list does",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 2}, 'status': {'succeeded': 4, "
         "'completedIndexes': '0,3-5'}}",
         {{"a", "running #1"}, {"b", "running #2"}},
         "a2 r0 t0 s4[] f0[] done=0",
         ""},
    };
    check_all(cases);
}

TEST(DecideStatus, PerIndexFailures) {
    const Case cases[] = {
        {"the last failed pod of an index waits, uncounted, for its successor",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2, 'backoffLimitPerIndex': 1}}",
         {{"a", "failed #0 f0 end-100"}, {"b", "running #1"}},
         "a2 r0 t0 s0[] f0[] lost=",
         ""},
        {"when the successor is there it goes",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2, 'backoffLimitPerIndex': 1}}",
         {{"a", "failed #0 f0 end-100"}, {"b", "running #1"}, {"c", "pending #0 f1"}},
         "a2 r0 t0 s0[] f0[a] lost=",
         "a"},
        {"an index that has used up its limit has failed",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 1, 'backoffLimitPerIndex': 1}}",
         {{"a", "failed #0 f1"}, {"b", "running #1"}},
         "a1 r0 t0 s0[] f0[a] lost=0",
         "a"},
        {"FailIndex does it at once",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 1, 'backoffLimitPerIndex': 9, "
         "'podFailurePolicy': {'rules': [{'action': 'FailIndex', 'onExitCodes': {'operator': 'In', 'values': "
         "[7]}}]}}}",
         {{"a", "failed #0 f0 exit7"}, {"b", "running #1"}},
         "a1 r0 t0 s0[] f0[a] lost=0",
         "a"},
        {"a success after the index has failed changes nothing: both lists would be refused",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 1, 'backoffLimitPerIndex': 0}, "
         "'status': {'failed': 1, 'failedIndexes': '0'}}",
         {{"a", "succeeded #0"}, {"b", "running #1"}},
         "a1 r0 t0 s0[] f1[] lost=0",
         "a"},
        {"failure after the success, too",
         "{'spec': {'completionMode': 'Indexed', 'completions': 3, 'parallelism': 1, 'backoffLimitPerIndex': 0}, "
         "'status': {'succeeded': 1, 'completedIndexes': '0', 'failedIndexes': ''}}",
         {{"a", "failed #0 f0"}, {"b", "running #1"}},
         "a1 r0 t0 s1[] f0[a] done=0 lost=",
         "a"},
        {"all indexes have ended, one of them badly",
         "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2, 'backoffLimitPerIndex': 0}}",
         {{"a", "failed #0 f0"}, {"b", "succeeded #1"}},
         "a0 r0 t0 s1[] f0[a] done=1 lost=0 FailureTarget(FailedIndexes)",
         "a b"},
        {"more have failed than are allowed",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'parallelism': 2, 'backoffLimitPerIndex': 0, "
         "'maxFailedIndexes': 0}}",
         {{"a", "failed #0 f0"}, {"b", "running #1"}},
         "a1 r0 t0 s0[] f0[a] lost=0 FailureTarget(MaxFailedIndexesExceeded)",
         "a"},
    };
    check_all(cases);
}

TEST(DecideStatus, EndsInTwoSteps) {
    const Case cases[] = {
        {"the last success is announced",
         "{'spec': {'completions': 2, 'parallelism': 2}, 'status': {'succeeded': 1}}",
         {{"a", "succeeded"}},
         "a0 r0 t0 s1[a] f0[] SuccessCriteriaMet(CompletionsReached)",
         "a"},
        {"and complete when it is counted",
         "{'spec': {'completions': 2, 'parallelism': 2}, 'status': {'succeeded': 1, 'startTime': "
         "'2023-12-31T23:00:00Z', 'uncountedTerminatedPods': {'succeeded': ['a']}, 'conditions': [{'type': "
         "'SuccessCriteriaMet', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}",
         {},
         "a0 r0 t0 s2[] f0[] SuccessCriteriaMet(R) Complete(R)",
         ""},
        {"#119159: not while a batch is left",
         "{'spec': {'completions': 2, 'parallelism': 2}}",
         {{"a", "succeeded"}, {"b", "succeeded"}},
         "a0 r0 t0 s0[a] f0[] SuccessCriteriaMet(CompletionsReached)",
         "a",
         {.uncounted_max = 1}},
        {"#125510: not while a pod is terminating",
         "{'spec': {'completions': 1, 'parallelism': 1}, 'status': {'succeeded': 1}}",
         {{"a", "running deleting bare"}},
         "a0 r0 t1 s1[] f0[] SuccessCriteriaMet(CompletionsReached)",
         ""},
        {"a pod too many is let go once, not again with the end",
         "{'spec': {'completions': 1, 'parallelism': 1}, 'status': {'succeeded': 1}}",
         {{"a", "running"}},
         "a0 r0 t1 s1[] f0[] SuccessCriteriaMet(CompletionsReached)",
         ""},
        {"a work queue is complete when all have ended after a success",
         "{'spec': {'parallelism': 2}, 'status': {'succeeded': 1}}",
         {},
         "a0 r0 t0 s1[] f0[] SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)",
         ""},
        {"but not before",
         "{'spec': {'parallelism': 2}, 'status': {'succeeded': 1}}",
         {{"a", "running"}},
         "a1 r0 t0 s1[] f0[]",
         ""},
        {"completions 0 is complete at once",
         "{'spec': {'completions': 0}}",
         {},
         "a0 r0 t0 s0[] f0[] SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)",
         ""},
        {"#132614: even suspended, and then without a start",
         "{'spec': {'completions': 0, 'suspend': true}}",
         {},
         "a0 r0 t0 s0[] f0[] SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)",
         ""},
        {"too many failures are announced while others still run",
         "{'spec': {'completions': 5, 'parallelism': 3, 'backoffLimit': 0}}",
         {{"a", "failed"}, {"b", "ready"}, {"c", "pending"}, {"d", "succeeded"}},
         "a2 r1 t0 s0[d] f0[a] FailureTarget(BackoffLimitExceeded)",
         "a d"},
        {"#109485: then every pod that is removed counts, and the Job is over when they are gone",
         "{'spec': {'completions': 5, 'parallelism': 3}, 'status': {'startTime': '2023-12-31T23:00:00Z', "
         "'conditions': [{'type': 'FailureTarget', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}",
         {{"a", "failed"}, {"b", "ready"}, {"c", "pending"}, {"d", "succeeded"}},
         "a0 r0 t2 s0[d] f0[a,b,c] FailureTarget(R)",
         "a b c d"},
        {"it has failed, with the reason that was announced",
         "{'spec': {'completions': 5, 'parallelism': 3}, 'status': {'failed': 1, 'startTime': "
         "'2023-12-31T23:00:00Z', 'uncountedTerminatedPods': {'failed': ['a']}, 'conditions': [{'type': "
         "'FailureTarget', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}",
         {},
         "a0 r0 t0 s0[] f2[] FailureTarget(R) Failed(R)",
         ""},
        {"#109904: once",
         "{'spec': {'completions': 5, 'parallelism': 3}, 'status': {'startTime': "
         "'2023-12-31T23:00:00Z', 'conditions': [{'type': 'FailureTarget', 'status': 'True', 'reason': 'R', "
         "'message': 'M'}]}}",
         {{"a", "running deleting bare"}},
         "a0 r0 t1 s0[] f0[] FailureTarget(R)",
         ""},
        {"failure beats success in the same sync",
         "{'spec': {'completions': 1, 'parallelism': 1, 'backoffLimit': 0}}",
         {{"a", "failed"}, {"b", "succeeded"}},
         "a0 r0 t0 s0[b] f0[a] FailureTarget(BackoffLimitExceeded)",
         "a b"},
        {"a success policy holds: those that have failed before are failures",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'parallelism': 3, 'successPolicy': {'rules': "
         "[{'succeededIndexes': '1'}]}}}",
         {{"a", "succeeded #1"}, {"b", "running #2"}, {"c", "failed #0"}},
         "a1 r0 t0 s1[] f0[c] done=1 SuccessCriteriaMet(SuccessPolicy)",
         "c a"},
        {"#123775: those that are removed then are not",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'parallelism': 3}, 'status': {'succeeded': 1, "
         "'completedIndexes': '1', 'startTime': '2023-12-31T23:00:00Z', 'conditions': [{'type': "
         "'SuccessCriteriaMet', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}",
         {{"b", "running #2"}},
         "a0 r0 t1 s1[] f0[] done=1 SuccessCriteriaMet(R)",
         "b"},
        {"#123775: nor when a crash came between, and they have ended badly since",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'parallelism': 3}, 'status': {'succeeded': 1, "
         "'completedIndexes': '1', 'startTime': '2023-12-31T23:00:00Z', 'conditions': [{'type': "
         "'SuccessCriteriaMet', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}",
         {{"b", "failed deleting #2"}, {"c", "running deleting #3"}},
         "a0 r0 t1 s1[] f0[] done=1 SuccessCriteriaMet(R)",
         "b c"},
        {"#123775: nor do their indexes fail",
         "{'spec': {'completionMode': 'Indexed', 'completions': 5, 'parallelism': 3, 'backoffLimitPerIndex': 0}, "
         "'status': {'succeeded': 1, 'completedIndexes': '1', 'startTime': '2023-12-31T23:00:00Z', 'failedIndexes': "
         "'', 'conditions': [{'type': 'SuccessCriteriaMet', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}",
         {{"b", "failed deleting #2"}},
         "a0 r0 t0 s1[] f0[] done=1 lost= SuccessCriteriaMet(R)",
         "b"},
        {"a Job that ends while suspended has a start, as the rules want it",
         "{'spec': {'completions': 3, 'parallelism': 1, 'suspend': true, 'backoffLimit': 0}, 'status': {'failed': 1, "
         "'conditions': [{'type': 'Suspended', 'status': 'True', 'reason': 'JobSuspended', 'message': 'Job "
         "suspended'}]}}",
         {},
         "a0 r0 t0 s0[] f1[] Suspended(JobSuspended) FailureTarget(BackoffLimitExceeded) "
         "Failed(BackoffLimitExceeded)",
         ""},
    };
    check_all(cases);
}

TEST(DecideStatus, TellsOfTheEndOnce) {
    const Sync complete = check({"complete",
                                 "{'spec': {'completions': 1}, 'status': {'succeeded': 2, 'startTime': "
                                 "'2023-12-31T23:00:00Z'}}",
                                 {},
                                 "a0 r0 t0 s2[] f0[] SuccessCriteriaMet(CompletionsReached) "
                                 "Complete(CompletionsReached)",
                                 ""});
    const std::vector<Note> want = {
        Note::warning("TooManySucceededPods", "Too many succeeded pods running after completion count reached"),
        Note::normal("Completed", "Job completed")};
    EXPECT_EQ(complete.status.notes, want);
    EXPECT_TRUE(complete.status.facts.finished && complete.status.facts.complete);
    EXPECT_EQ(complete.status.facts.finish_reason, "CompletionsReached");
    EXPECT_EQ(complete.after.completion_time, complete.after.conditions[1].last_transition_time);

    const Sync announced = check({"#112948: announced is not over, and counted once",
                                  "{'spec': {'completions': 2, 'backoffLimit': 0}}",
                                  {{"a", "failed"}},
                                  "a0 r0 t0 s0[] f0[a] FailureTarget(BackoffLimitExceeded)",
                                  "a"});
    EXPECT_TRUE(announced.status.notes.empty());
    EXPECT_FALSE(announced.status.facts.finished);
    EXPECT_EQ(announced.status.facts.pods_failed, 0) << "a name is no number";
}

TEST(DecideStatus, AnEndBeforeTheStartIsMovedToIt) {
    const Sync sync = check({"a clock went back",
                             "{'spec': {'completions': 0}, 'status': {'startTime': '2024-01-01T00:00:09Z'}}",
                             {},
                             "a0 r0 t0 s0[] f0[] SuccessCriteriaMet(CompletionsReached) "
                             "Complete(CompletionsReached)",
                             ""});
    EXPECT_EQ(sync.after.completion_time, sync.after.start_time);
}

TEST(DecideStatus, SuspendsAndResumes) {
    const Sync suspended = check({"its clock stops",
                                  "{'spec': {'suspend': true, 'completions': 3, 'parallelism': 2}, 'status': "
                                  "{'startTime': '2023-12-31T23:00:00Z'}}",
                                  {{"a", "ready"}, {"b", "succeeded"}},
                                  "a0 r0 t1 s0[b] f0[] Suspended(JobSuspended)",
                                  "b"});
    EXPECT_FALSE(suspended.after.start_time);
    EXPECT_EQ(suspended.status.notes, (std::vector{Note::normal("Suspended", "Job suspended")}));

    constexpr const char* kWasSuspended =
        "'conditions': [{'type': 'Suspended', 'status': 'True', 'reason': 'JobSuspended', 'message': 'Job "
        "suspended'}]}}";
    const std::string again = std::string("{'spec': {'suspend': true}, 'status': {") + kWasSuspended;
    const Sync still = check({"once", again.c_str(), {}, "a0 r0 t0 s0[] f0[] Suspended(JobSuspended)", ""});
    EXPECT_TRUE(still.status.notes.empty());

    const std::string kept =
        std::string("{'spec': {'suspend': true}, 'status': {'startTime': '2023-12-31T23:00:00Z', ") + kWasSuspended;
    const Sync cleared = check({"a start time that another controller left goes",
                                kept.c_str(),
                                {},
                                "a0 r0 t0 s0[] f0[] Suspended(JobSuspended)",
                                ""});
    EXPECT_TRUE(cleared.status.status);
    EXPECT_FALSE(cleared.after.start_time);
    EXPECT_TRUE(cleared.status.notes.empty());

    const std::string resume =
        std::string("{'spec': {'suspend': false}, 'status': {'startTime': '2023-12-31T23:00:00Z', ") + kWasSuspended;
    const Sync resumed = check({"#134521: resumed, it starts now, whatever it said",
                                resume.c_str(),
                                {},
                                "a1 r0 t0 s0[] f0[] Suspended=False(JobResumed)",
                                ""});
    EXPECT_EQ(resumed.after.start_time, api::Time::from_instant(kNow));
    EXPECT_EQ(resumed.status.notes, (std::vector{Note::normal("Resumed", "Job resumed")}));

    check({"a Job that never was suspended does not say so", "{}", {}, "a1 r0 t0 s0[] f0[]", ""});
}

TEST(DecideStatus, OnlyWhatHappenedIsTold) {
    const Job job = api::make_job(
        "{'spec': {'completions': 5, 'parallelism': 2}, 'status': {'startTime': '2023-12-31T23:00:00Z', 'conditions': "
        "[{'type': 'FailureTarget', 'status': 'True', 'reason': 'R', 'message': 'M'}]}}");
    const auto pods = make_pods({{"a", "failed"}, {"b", "ready"}, {"c", "ready"}});
    const JobView view{.job = job, .pods = pods, .now = kNow};
    const PodsOutcome half{.removed = {true, false}};
    const Sync sync = run_sync(view, &half);
    EXPECT_EQ(print(sync.after), "a1 r1 t1 s0[] f0[a,b] FailureTarget(R)")
        << "#125175: a ready pod whose removal failed is still ready; #109486: it is neither counted nor released";
    EXPECT_EQ(print_names(sync.status.release), "a b");

    const Job small = api::make_job("{'spec': {'completions': 9, 'parallelism': 5}}");
    const JobView making{.job = small, .pods = {}, .now = kNow};
    const PodsOutcome three{.created = 3};
    EXPECT_EQ(print(run_sync(making, &three).after), "a3 r0 t0 s0[] f0[]");

    const auto many = make_pods({{"a", "ready"}, {"b", "ready"}, {"c", "ready"}, {"d", "pending"}});
    const Job fewer = api::make_job("{'spec': {'completions': 9, 'parallelism': 1}}");
    const JobView scaling{.job = fewer, .pods = many, .now = kNow};
    const PodsOutcome one_failed{.removed = {true, true, false}};
    EXPECT_EQ(print(run_sync(scaling, &one_failed).after), "a2 r2 t2 s0[] f0[]");
}

// Upstream may let the failed pod go before the reason is stored, and the rule with it.
TEST(DecideStatus, ARuleThatFailsTheJobIsStoredBeforeThePodThatBrokeItGoes) {
    const Sync sync = check({"recorded at once, with the pod's name",
                             "{'spec': {'completions': 5, 'parallelism': 2, 'podFailurePolicy': {'rules': [{'action': "
                             "'FailJob', 'onExitCodes': {'operator': 'In', 'values': [7]}}]}}}",
                             {{"a", "failed exit7"}, {"b", "running"}},
                             "a1 r0 t0 s0[] f0[a] FailureTarget(PodFailurePolicy)",
                             "a"});
    EXPECT_EQ(sync.after.conditions[0].message,
              "Container c for pod n/a failed with exit code 7 matching FailJob rule at index 0");
    EXPECT_EQ(sync.status.facts.failure_actions[static_cast<std::size_t>(2)], 1);
}

TEST(DecideStatus, IgnoredFailuresAreReleasedAndNotCounted) {
    const Sync sync = check({"ignored",
                             "{'spec': {'completions': 5, 'parallelism': 1, 'backoffLimit': 0, 'podFailurePolicy': "
                             "{'rules': [{'action': 'Ignore', 'onPodConditions': [{'type': 'DisruptionTarget', "
                             "'status': 'True'}]}]}}}",
                             {{"a", "failed disrupted end-3"}, {"b", "running"}},
                             "a1 r0 t0 s0[] f0[]",
                             "a"});
    EXPECT_EQ(sync.status.facts.failure_actions[3], 1);
    EXPECT_EQ(sync.status.backoff, (BackoffRecord{1, kNow - 3s})) << "but the next pod waits";
}

TEST(DecideStatus, RemembersFailuresOnceTheyAreTold) {
    const Sync sync = check({"of three failures two are told of in this batch",
                             "{'spec': {'completions': 5, 'parallelism': 2}}",
                             {{"a", "failed end-9"}, {"b", "failed end-8"}, {"c", "failed end-7"}},
                             "a0 r0 t0 s0[] f0[a,b]",
                             "a b",
                             {.uncounted_max = 2}});
    EXPECT_EQ(sync.status.backoff, (BackoffRecord{2, kNow - 8s}));
    EXPECT_EQ(print(sync.pods), "wake+33") << "but all three delay: 40 s after the last";
    EXPECT_EQ(sync.status.wake_at, kNow);
}

TEST(DecideStatus, CountsForMetrics) {
    const Sync sync = check({"indexes and pods",
                             "{'spec': {'completionMode': 'Indexed', 'completions': 9, 'parallelism': 1, "
                             "'backoffLimitPerIndex': 0}, 'status': {'succeeded': 1, 'completedIndexes': '0', "
                             "'failedIndexes': '1', 'failed': 1, 'uncountedTerminatedPods': {'failed': ['gone']}}}",
                             {{"a", "succeeded #2"}, {"b", "failed #3"}, {"c", "running #4"}},
                             "a1 r0 t0 s2[] f2[b] done=0,2 lost=1,3",
                             "a b"});
    const StatusFacts want{
        .pods_succeeded = 1, .pods_failed = 1, .indexes_succeeded = 1, .indexes_failed = 1, .backoff_per_index = true};
    EXPECT_EQ(sync.status.facts, want);
}

TEST(DecideStatus, AStatusMayHoldAnyNumbers) {
    const Sync sync = check({"a count below zero is none",
                             "{'spec': {'completions': 9, 'parallelism': 1}, 'status': {'succeeded': -2147483648, "
                             "'failed': -2147483648, 'uncountedTerminatedPods': {'failed': ['gone']}}}",
                             {{"a", "running"}},
                             "a1 r0 t0 s0[] f1[]",
                             ""});
    EXPECT_EQ(sync.status.facts.pods_failed, 1);
    const Sync indexed = check({"indexes count, whatever the number was",
                                "{'spec': {'completionMode': 'Indexed', 'completions': 2, 'parallelism': 2}, "
                                "'status': {'succeeded': -2147483648, 'failed': 2147483647, "
                                "'uncountedTerminatedPods': {'failed': ['gone']}}}",
                                {{"a", "succeeded #1"}, {"b", "running #0"}},
                                "a1 r0 t0 s1[] f2147483647[] done=1 FailureTarget(BackoffLimitExceeded)",
                                "a"});
    EXPECT_EQ(indexed.status.facts.pods_failed, 0) << "the highest count stays";
}

TEST(DecideStatus, WhatIsSettledStaysAsItIs) {
    const Job job = api::make_job("{'spec': {'completions': 3, 'parallelism': 1}}");
    const auto pods = make_pods({{"a", "ready"}});
    Job after = job;
    after.status = run_sync({.job = job, .pods = pods, .now = kNow}).after;
    const Sync second = run_sync({.job = after, .pods = pods, .now = kNow + 5s});
    EXPECT_TRUE(second.pods.empty());
    EXPECT_TRUE(second.status.empty()) << print(second.after);
}

TEST(DecideStatus, AFinishedJobLetsGoOfPodsThatWereMissed) {
    const Sync sync = check({"#119944",
                             "{'status': {'startTime': '2023-12-31T23:00:00Z', 'conditions': [{'type': "
                             "'FailureTarget', 'status': 'True'}, {'type': 'Failed', 'status': 'True'}]}}",
                             {{"a", "failed"}, {"b", "running bare"}},
                             "a0 r-1 t-1 s0 f0 FailureTarget() Failed()",
                             "a"});
    EXPECT_FALSE(sync.status.status);
}

}  // namespace decide_status_test
}  // namespace muster::controllers::jobs
