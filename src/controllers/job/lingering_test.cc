// JobTrackingWithFinalizers turned off, and on again: KEP-2307's upgrade, downgrade, upgrade.
#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace lingering_test {

const Gates kOff{.tracking_with_finalizers = false};

Sync sync_at(const Job& job, const PodCases& cases, Gates gates) {
    const auto pods = make_pods(cases);
    return run_sync({.job = job, .pods = pods, .gates = gates, .now = kNow});
}
Job marked(std::string_view patch) {
    Job job = api::make_job(patch);
    job.metadata.annotations.set(kLingeringAnnotation, "true");
    return job;
}

TEST(Lingering, TurnedOffAJobIsMarkedBeforeAnythingElse) {
    const Job job = api::make_job("{'spec': {'completions': 3, 'parallelism': 3}}");
    const Sync sync = sync_at(job, {{"a", "succeeded"}, {"b", "running"}}, kOff);
    EXPECT_EQ(print(sync.pods), "mark");
    EXPECT_TRUE(sync.status.empty());
    EXPECT_TRUE(needs_all_pods(job, kOff));
    EXPECT_FALSE(needs_all_pods(job, {}));
}

TEST(Lingering, ThenFinalizersGoAndThePodsThatExistAreTheCount) {
    const Job job = marked(
        "{'spec': {'completions': 5, 'parallelism': 2}, 'status': {'succeeded': 1, "
        "'uncountedTerminatedPods': {'succeeded': ['a'], 'failed': ['c']}}}");
    const PodCases pods = {{"a", "succeeded"}, {"b", "running"}, {"c", "failed end-100"}, {"z", "succeeded bare"}};
    const Sync sync = sync_at(job, pods, kOff);
    EXPECT_EQ(print(sync.pods), "+x1");
    EXPECT_EQ(print(sync.after), "a2 r0 t0 s2 f1");
    EXPECT_EQ(print_names(sync.status.release), "a c b");
    EXPECT_FALSE(sync.after.uncounted_terminated_pods);
}

TEST(Lingering, TurnedOnAgainTheJobStaysWithTheOldWay) {
    const Job job = marked("{'spec': {'completions': 5, 'parallelism': 2}}");
    const Sync sync = sync_at(job, {{"a", "succeeded bare"}, {"b", "running bare"}}, {});
    EXPECT_EQ(print(sync.pods), "+x1");
    EXPECT_EQ(print(sync.after), "a2 r0 t0 s1 f0");
    EXPECT_TRUE(sync.status.release.empty());
    EXPECT_TRUE(needs_all_pods(job, {}));
    const Job fresh = api::make_job("{}");
    EXPECT_EQ(tracking_of(fresh, {}), Tracking::kFinalizers) << "new Jobs are tracked";
}

TEST(Lingering, PodsThatVanishAreRunAgainButNumbersDoNotGoBack) {
    const Job job = marked("{'spec': {'completions': 3, 'parallelism': 3}, 'status': {'succeeded': 2}}");
    const Sync sync = sync_at(job, {{"a", "succeeded bare"}}, kOff);
    EXPECT_EQ(print(sync.pods), "+x2");
    EXPECT_EQ(print(sync.after), "a2 r0 t0 s2 f0");
}

TEST(Lingering, AnIndexedJobForgetsNoIndex) {
    const Job job = marked(
        "{'spec': {'completionMode': 'Indexed', 'completions': 4, 'parallelism': 4}, 'status': "
        "{'succeeded': 1, 'completedIndexes': '0'}}");
    const Sync sync = sync_at(job, {{"b", "succeeded bare #2"}}, kOff);
    EXPECT_EQ(print(sync.pods), "+1 +3");
    EXPECT_EQ(print(sync.after), "a2 r0 t0 s2 f0 done=0,2");
}

TEST(Lingering, DeletedPodsAreNoFailures) {
    const Job job = marked("{'spec': {'completions': 3, 'parallelism': 1, 'backoffLimit': 0}}");
    const Sync sync = sync_at(job, {{"a", "running bare deleting"}}, kOff);
    EXPECT_EQ(print(sync.after), "a1 r0 t1 s0 f0");
}

TEST(Lingering, ItEnds) {
    const Job failing = marked("{'spec': {'completions': 3, 'parallelism': 2, 'backoffLimit': 0}}");
    const Sync announced = sync_at(failing, {{"a", "failed bare"}, {"b", "running"}}, kOff);
    EXPECT_EQ(print(announced.pods), "");
    EXPECT_EQ(print(announced.after), "a1 r0 t0 s0 f1 FailureTarget(BackoffLimitExceeded)");
    EXPECT_EQ(print_names(announced.status.release), "b");

    Job ending = failing;
    ending.status = announced.after;
    const Sync removing = sync_at(ending, {{"a", "failed bare"}, {"b", "running bare"}}, kOff);
    EXPECT_EQ(print(removing.pods), "-b");
    EXPECT_EQ(print(removing.after), "a0 r0 t1 s0 f2 FailureTarget(BackoffLimitExceeded)");
    ending.status = removing.after;
    const Sync over = sync_at(ending, {{"a", "failed bare"}}, kOff);
    EXPECT_EQ(print(over.after), "a0 r0 t0 s0 f2 FailureTarget(BackoffLimitExceeded) Failed(BackoffLimitExceeded)");

    const Job done = marked("{'spec': {'completions': 1}}");
    const Sync complete = sync_at(done, {{"a", "succeeded bare"}}, kOff);
    EXPECT_EQ(print(complete.after),
              "a0 r0 t0 s1 f0 SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)");
}

TEST(Lingering, TheDelayAfterFailuresComesFromThePodsThatExist) {
    const Job job = marked("{'spec': {'completions': 3, 'parallelism': 1}}");
    const PodCases pods = {{"a", "failed bare end-30"}, {"b", "failed bare end-5"}};
    const Sync sync = sync_at(job, pods, kOff);
    EXPECT_EQ(print(sync.pods), "wake+15");
    EXPECT_EQ(sync.status.backoff, (BackoffRecord{2, kNow - 5s})) << "and does not grow with every look";
}

}  // namespace lingering_test
}  // namespace muster::controllers::jobs
