// One test per behaviour of Jobs whose pods fail: on the real server's rules, in both completion modes, with
// controllers that die in the middle.
#include "controllers/behaviour.h"

namespace muster::worlds {
namespace job_failure_behaviour_test {

class JobFailure : public BothModes {};
INSTANTIATE_TEST_SUITE_P(Modes, JobFailure, testing::Values("NonIndexed", "Indexed"), mode_name);

std::int64_t created_at(const Pod& pod) { return pod.metadata.creation_timestamp.unix_seconds(); }

TEST_P(JobFailure, TheDeadlineComesAlsoAfterARestart) {
    World world(with_script(always(hang())));
    ASSERT_TRUE(world.create_job(manifest("completions: 3, parallelism: 2, activeDeadlineSeconds: 20")).ok());
    world.run_for(8s);
    world.restart_controllers();
    world.run_for(11s);
    EXPECT_FALSE(has_condition(world.job(), "FailureTarget")) << "too early";
    world.run_for(2s);
    EXPECT_TRUE(has_condition(world.job(), "FailureTarget"));
    expect_end(world, "Failed: DeadlineExceeded");
    EXPECT_EQ(world.job().status.failed, 2);
}

TEST_P(JobFailure, ASuspendedJobHasNoDeadline) {
    World world(with_script(always(hang())));
    const char* spec = "completions: 3, parallelism: 2, activeDeadlineSeconds: 20, suspend: true";
    ASSERT_TRUE(world.create_job(manifest(spec)).ok());
    world.run_for(1h);
    ASSERT_TRUE(world.change_job("j", [](Job& job) { job.spec.suspend = false; }).ok());
    world.run_for(18s);
    EXPECT_EQ(world.job().status.ready, 2);
    expect_end(world, "Failed: DeadlineExceeded");
}

TEST_P(JobFailure, DelaysAfterFailuresSurviveRestartsAndCrashes) {
    World world(with_script(always(fail(1, 0s))));
    ASSERT_TRUE(world.create_job(manifest("completions: 1, parallelism: 1, backoffLimit: 3")).ok());
    int round = 0;
    while (!world.is_finished() && round < 60) {
        world.run_for(3s);
        if (++round % 2 == 0)
            world.restart_controllers();
        else
            world.crash(true);
    }
    expect_end(world, "Failed: BackoffLimitExceeded");
    EXPECT_EQ(world.job().status.failed, 4);
    const auto pods = pods_by_age(world);
    ASSERT_EQ(pods.size(), 4u);
    const int delays[] = {10, 20, 40};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t waited = created_at(*pods[i + 1]) - created_at(*pods[i]);
        EXPECT_GE(waited, delays[i] - 1);  // times are whole seconds
        EXPECT_LE(waited, delays[i] + 3);
    }
}

TEST_P(JobFailure, RestartsInPlaceCountTowardsTheLimit) {
    Ending restarting = hang();
    restarting.after = 1s;
    restarting.restarts = 5;
    World world(with_script(always(restarting)));
    const std::string text = manifest("completions: 2, parallelism: 1, backoffLimit: 3", "restartPolicy: OnFailure");
    ASSERT_TRUE(world.create_job(text).ok());
    world.run_for(2500ms);
    EXPECT_FALSE(has_condition(world.job(), "FailureTarget")) << "two restarts are not three";
    expect_end(world, "Failed: BackoffLimitExceeded");
    EXPECT_EQ(world.truth.pods().size(), 1u);
    EXPECT_EQ(world.job().status.failed, 1);
}

TEST_P(JobFailure, APolicyFailsTheJobAndSaysWhy) {
    World world(with_script([](const PodRun& run) { return run.ordinal == 1 ? fail(42) : succeed(60s); }));
    ASSERT_TRUE(world
                    .create_job(manifest("completions: 3, parallelism: 3, podFailurePolicy: {rules: [{action: FailJob, "
                                         "onExitCodes: {operator: In, values: [42]}}]}"))
                    .ok());
    expect_end(world, "Failed: PodFailurePolicy");
    const std::string message = find_condition(world.job(), "Failed")->message.str();
    EXPECT_NE(message.find("42"), std::string::npos) << message;
    EXPECT_NE(message.find("FailJob"), std::string::npos) << message;
    EXPECT_EQ(world.job().status.failed, 3);
}

TEST_P(JobFailure, IgnoredFailuresAreNotCountedButDelayTheNextPod) {
    Ending disrupted = fail(77, 0s);
    disrupted.condition = "DisruptionTarget";
    World world(with_script([disrupted](const PodRun& run) { return run.ordinal < 2 ? disrupted : succeed(); }));
    world.truth.is_ignored = [](const PodTruth& pod) { return pod.exit_code == 77; };
    ASSERT_TRUE(world
                    .create_job(manifest("completions: 1, parallelism: 1, backoffLimit: 0, podFailurePolicy: {rules: "
                                         "[{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}"))
                    .ok());
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.failed, 0);
    const auto pods = pods_by_age(world);
    ASSERT_EQ(pods.size(), 3u);
    EXPECT_GE(created_at(*pods[1]) - created_at(*pods[0]), 9);
    EXPECT_GE(created_at(*pods[2]) - created_at(*pods[1]), 19);
}

TEST_P(JobFailure, TheEndIsAnnouncedBeforeItIsReached) {
    WorldOptions options = with_script([](const PodRun& run) { return run.ordinal == 0 ? fail() : hang(); });
    options.node.stop_delay = 10s;
    World world(std::move(options));
    ASSERT_TRUE(world.create_job(manifest("completions: 3, parallelism: 3, backoffLimit: 0")).ok());
    ASSERT_TRUE(world.run_until([&] {
        return world.truth.job("j") && has_condition(world.job(), "FailureTarget") && world.job().status.active == 0;
    }));
    world.run_for(4s);
    world.restart_controllers();
    world.run_for(4s);
    EXPECT_FALSE(world.is_finished()) << "pods are still on their way out";
    EXPECT_EQ(world.job().status.terminating, 2);
    expect_end(world, "Failed: BackoffLimitExceeded");
    const auto* target = find_condition(world.job(), "FailureTarget");
    const auto* failed = find_condition(world.job(), "Failed");
    EXPECT_EQ(target->reason, failed->reason);
    EXPECT_EQ(target->message, failed->message);
    EXPECT_FALSE(world.job().status.completion_time.has_value());
    EXPECT_EQ(world.job().status.failed, 3);
}

TEST_P(JobFailure, TheReasonStandsThoughTheProcessDiesWhilePodsAreRemoved) {
    // Pods that are on their way out must not turn a deadline into too many failures.
    for (int crash_after_ms = 0; crash_after_ms < 40; crash_after_ms += 2) {
        WorldOptions options = with_script(always(hang()));
        options.node.stop_delay = 5s;
        World world(std::move(options));
        const char* spec = "completions: 3, parallelism: 3, backoffLimit: 0, activeDeadlineSeconds: 10";
        ASSERT_TRUE(world.create_job(manifest(spec)).ok());
        ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.ready == 3; }));
        const Instant deadline = world.job().status.start_time->instant() + 10s;
        world.run_for(deadline - world.loop.now() + std::chrono::milliseconds(crash_after_ms));
        world.crash(false);
        expect_end(world, "Failed: DeadlineExceeded");
    }
}

TEST(JobFailureOfIndexes, EachIndexHasItsOwnLimitAndDelay) {
    World world(with_script([](const PodRun& run) { return run.index == 1 ? fail(1, 0s) : succeed(); }));
    const char* spec = "completionMode: Indexed, completions: 4, parallelism: 2, backoffLimitPerIndex: 2";
    ASSERT_TRUE(world.create_job(job_manifest(spec)).ok());
    for (int round = 0; round < 12; ++round) {
        world.run_for(2s);
        world.restart_controllers();
    }
    EXPECT_EQ(world.job().status.completed_indexes, "0,2,3") << "the others do not wait";
    expect_end(world, "Failed: FailedIndexes");
    EXPECT_EQ(world.job().status.failed_indexes, Text("1"));
    EXPECT_EQ(world.job().status.failed, 3);
    std::vector<client::Ref<Pod>> pods = pods_by_age(world);
    std::erase_if(pods, [](const auto& pod) { return index_of(*pod) != 1; });
    ASSERT_EQ(pods.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        const Text* count = pods[i]->metadata.annotations.find("batch.kubernetes.io/job-index-failure-count");
        ASSERT_TRUE(count);
        EXPECT_EQ(count->str(), std::to_string(i));
    }
    EXPECT_GE(created_at(*pods[1]) - created_at(*pods[0]), 9);
    EXPECT_GE(created_at(*pods[2]) - created_at(*pods[1]), 19);
}

TEST(JobFailureOfIndexes, TooManyFailedIndexesEndTheJob) {
    World world(with_script([](const PodRun& run) { return run.index < 3 ? fail() : hang(); }));
    const char* spec =
        "completionMode: Indexed, completions: 10, parallelism: 5, backoffLimitPerIndex: 0, maxFailedIndexes: 2";
    ASSERT_TRUE(world.create_job(job_manifest(spec)).ok());
    expect_end(world, "Failed: MaxFailedIndexesExceeded");
    EXPECT_EQ(world.job().status.failed_indexes, Text("0-2"));
    EXPECT_GT(world.job().status.failed, 3) << "who ran when the Job failed has failed with it";
}

TEST(JobFailureOfIndexes, ASuccessPolicyIsEnoughAndWhoIsLeftHasNotFailed) {
    WorldOptions options = with_script([](const PodRun& run) { return run.index == 2 ? succeed() : hang(); });
    options.node.stop_delay = 5s;
    World world(std::move(options));
    ASSERT_TRUE(world
                    .create_job(job_manifest("completionMode: Indexed, completions: 5, parallelism: 5, backoffLimit: "
                                             "0, successPolicy: {rules: [{succeededCount: 1}]}"))
                    .ok());
    ASSERT_TRUE(
        world.run_until([&] { return world.truth.job("j") && has_condition(world.job(), "SuccessCriteriaMet"); }));
    EXPECT_FALSE(world.is_finished());
    world.crash(false);
    expect_end(world, "Complete: SuccessPolicy");
    EXPECT_EQ(world.job().status.succeeded, 1);
    EXPECT_EQ(world.job().status.failed, 0);
    EXPECT_TRUE(world.job().status.completion_time.has_value());
    EXPECT_EQ(find_condition(world.job(), "Complete")->message, "Matched rules at index 0");
}

}  // namespace job_failure_behaviour_test
}  // namespace muster::worlds
