// One test per behaviour of Jobs that go well: on the real server's rules, in both completion modes, with controllers
// that die in the middle.
#include "controllers/behaviour.h"

namespace muster::worlds {
namespace job_behaviour_test {

class JobBehaviour : public BothModes {};
INSTANTIATE_TEST_SUITE_P(Modes, JobBehaviour, testing::Values("NonIndexed", "Indexed"), mode_name);

TEST_P(JobBehaviour, ControllersAndProcessMayDieAgainAndAgain) {
    World world(with_script([](const PodRun& run) { return run.ordinal % 4 == 1 ? fail() : succeed(); }));
    ASSERT_TRUE(world.create_job(manifest("completions: 8, parallelism: 3, backoffLimit: 20")).ok());
    for (int round = 0; round < 40 && !world.is_finished(); ++round) {
        world.run_for(700ms);
        if (round % 3 == 0)
            world.restart_controllers();
        else
            world.crash(round % 3 == 1);
    }
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.succeeded, 8);
}

TEST_P(JobBehaviour, SuspensionStopsThePodsAndResumingResetsTheStartTime) {
    World world(with_script(always(succeed(10s))));
    ASSERT_TRUE(world.create_job(manifest("completions: 4, parallelism: 2")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.ready == 2; }));
    const auto first_start = world.job().status.start_time;
    ASSERT_TRUE(first_start.has_value());

    ASSERT_TRUE(world.change_job("j", [](Job& job) { job.spec.suspend = true; }).ok());
    ASSERT_TRUE(world.run_until([&] { return has_condition(world.job(), "Suspended"); }));
    EXPECT_EQ(find_condition(world.job(), "Suspended")->reason, "JobSuspended");
    EXPECT_FALSE(world.job().status.start_time.has_value());
    world.run_for(30s);
    world.restart_controllers();
    world.run_for(30s);
    EXPECT_EQ(world.job().status.active, 0);
    EXPECT_EQ(world.job().status.terminating, 0);
    EXPECT_TRUE(world.truth.present_pods().empty());

    ASSERT_TRUE(world.change_job("j", [](Job& job) { job.spec.suspend = false; }).ok());
    ASSERT_TRUE(world.run_until([&] { return find_condition(world.job(), "Suspended")->status == "False"; }));
    EXPECT_EQ(find_condition(world.job(), "Suspended")->reason, "JobResumed");
    EXPECT_GE(world.job().status.start_time->unix_seconds(), first_start->unix_seconds() + 60);
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.failed, 0) << "pods that a suspension stops have not failed";
}

TEST_P(JobBehaviour, WhileSuspendedThePodsPlaceMayChange) {
    World world;
    ASSERT_TRUE(world.create_job(manifest("completions: 2, parallelism: 2, suspend: true")).ok());
    world.run_for(10s);
    EXPECT_TRUE(world.truth.pods().empty());
    EXPECT_EQ(world.end_of(), "Suspended");
    EXPECT_FALSE(world.job().status.start_time.has_value());
    const auto choose = [](Job& job) { job.spec.template_.spec.node_selector.set("disk", "ssd"); };
    ASSERT_TRUE(world.change_job("j", choose).ok());
    ASSERT_TRUE(world.change_job("j", [](Job& job) { job.spec.suspend = false; }).ok());
    expect_end(world, "Complete: CompletionsReached");
    for (const auto& pod : pods_by_age(world)) EXPECT_TRUE(pod->spec.node_selector.contains("disk"));
    const auto too_late = world.change_job("j", [](Job& job) { job.spec.template_.spec.node_selector.reset(); });
    ASSERT_FALSE(too_late.ok());
    EXPECT_EQ(too_late.error().code, Code::kInvalid);
}

TEST_P(JobBehaviour, StatusTellsWhoIsReadyAndWhoIsOnTheWayOut) {
    WorldOptions options = with_script(always(succeed(60s)));
    options.node.stop_delay = 30s;
    World world(std::move(options));
    ASSERT_TRUE(world.create_job(manifest("completions: 3, parallelism: 3")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.ready == 3; }));
    EXPECT_EQ(world.job().status.active, 3);
    EXPECT_EQ(world.job().status.terminating, 0);
    ASSERT_TRUE(world.remove<Pod>(world.truth.active_pods()[0]->metadata.name).ok());
    ASSERT_TRUE(world.run_until([&] { return world.job().status.terminating == 1; }));
    EXPECT_EQ(world.job().status.ready, 2);
    world.run_for(15s);
    EXPECT_EQ(world.job().status.active, 3) << "it is replaced without waiting for its end";
    EXPECT_EQ(world.job().status.terminating, 1);
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.failed, 1);
    EXPECT_EQ(world.job().status.terminating, 0);
}

TEST_P(JobBehaviour, ReplacementWaitsForTheEndWhereThePolicySaysSo) {
    WorldOptions options = with_script(always(succeed(60s)));
    options.node.stop_delay = 10s;
    World world(std::move(options));
    ASSERT_TRUE(world.create_job(manifest("completions: 2, parallelism: 2, podReplacementPolicy: Failed")).ok());
    ASSERT_TRUE(world.run_until([&] { return count_running(world) == 2; }));
    ASSERT_TRUE(world.remove<Pod>(world.truth.active_pods()[0]->metadata.name).ok());
    world.run_for(4s);
    world.restart_controllers();
    world.run_for(4s);
    EXPECT_EQ(world.truth.pods().size(), 2u) << "no third pod while the first may still end well";
    EXPECT_EQ(world.job().status.failed, 0);
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.failed, 1);
    EXPECT_EQ(world.truth.pods().size(), 3u);
}

TEST_P(JobBehaviour, AJobThatAnotherControllerManagesIsLeftAlone) {
    World world;
    ASSERT_TRUE(world.create_job(manifest("completions: 2, managedBy: example.com/other")).ok());
    world.run_for(60s);
    EXPECT_TRUE(world.truth.pods().empty());
    EXPECT_EQ(world.truth.story("j")->versions.size(), 1u) << "nothing was written";
}

TEST_P(JobBehaviour, NothingToCompleteIsCompleteAtOnce) {
    World world;
    ASSERT_TRUE(world.create_job(manifest("completions: 0")).ok());
    ASSERT_TRUE(world.create_job(manifest("completions: 0, suspend: true", "restartPolicy: Never", "s")).ok());
    expect_end(world, "Complete: CompletionsReached");
    expect_end(world, "Complete: CompletionsReached", "s");
    EXPECT_FALSE(world.job("s").status.start_time.has_value());
    EXPECT_TRUE(world.truth.pods().empty());
}

TEST_P(JobBehaviour, ARecreatedJobStartsAtOnce) {
    World world(with_script(always(succeed(5s))));
    ASSERT_TRUE(world.create_job(manifest("completions: 4, parallelism: 4")).ok());
    ASSERT_TRUE(world.run_until([&] { return count_running(world) == 4; }));
    const Text first = world.job().metadata.uid;
    ASSERT_TRUE(world.remove<Job>("j", "Background").ok());
    ASSERT_TRUE(world.create_job(manifest("completions: 3, parallelism: 3")).ok());
    EXPECT_NE(world.job().metadata.uid.str(), first.str());
    const Duration made = world.loop.uptime();
    ASSERT_TRUE(world.run_until([&] { return world.job().status.ready == 3; }));
    EXPECT_LT(world.loop.uptime() - made, 2s) << "what the old Job waited for is nothing to the new one";
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.succeeded, 3);
    EXPECT_TRUE(world.run_until([&] { return world.truth.present_pods().size() == 3; })) << "the old pods are gone";
}

TEST_P(JobBehaviour, ASmallJobDoesNotWaitForABigOne) {
    WorldOptions options = with_script(always(succeed(1s)));
    options.job.limits.create_delete_max = 10;
    options.job.limits.uncounted_max = 10;
    options.job.syncs_at_once_max = 1;
    World world(std::move(options));
    ASSERT_TRUE(world.create_job(manifest("completions: 300, parallelism: 150", "restartPolicy: Never", "big")).ok());
    world.run_for(1s);
    const Duration made = world.loop.uptime();
    ASSERT_TRUE(world.create_job(manifest("completions: 1", "restartPolicy: Never", "small")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.is_finished("small"); }));
    EXPECT_LT(world.loop.uptime() - made, 2s);
    EXPECT_FALSE(world.is_finished("big"));
    expect_end(world, "Complete: CompletionsReached", "big");
    EXPECT_EQ(world.job("big").status.succeeded, 300);
}

// #118470
TEST_P(JobBehaviour, ManyEndsTogetherAreFewStatusWrites) {
    World world(with_script([](const PodRun& run) { return succeed(1s + run.ordinal * 100us); }));
    ASSERT_TRUE(world.create_job(manifest("completions: 300, parallelism: 300")).ok());
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_LT(world.truth.story("j")->versions.size(), 60u);
}

TEST(JobBehaviourOfOwners, AFinalizerWithoutAJobIsTakenAway) {
    World world;
    world.stop_controllers();
    ASSERT_TRUE(world
                    .create<Pod>("metadata: {name: p, finalizers: [batch.kubernetes.io/job-tracking], ownerReferences: "
                                 "[{apiVersion: batch/v1, kind: Job, name: gone, uid: 0b1f, controller: true}]}\n"
                                 "spec: {nodeName: node-1, containers: [{name: c, image: i}], restartPolicy: Never}\n")
                    .ok());
    EXPECT_EQ(world.truth.tracked(), 1u);
    world.options.garbage = false;
    world.faults.kind = FaultKind::kRefuse;
    world.faults.position = world.faults.calls + 5;  // two lists, two watches, a read: the patch
    world.start_controllers();
    EXPECT_TRUE(world.run_until([&] { return world.truth.tracked() == 0; })) << "it is tried again";
    EXPECT_EQ(world.faults.hit, "patch Pod");
}

TEST_P(JobBehaviour, TrackingTurnedOffAndOnKeepsTheJobGoing) {
    World world(with_script([](const PodRun& run) { return succeed(1s * (1 + run.ordinal % 3)); }));
    world.truth.is_tracking = false;
    ASSERT_TRUE(world.create_job(manifest("completions: 12, parallelism: 3")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.succeeded >= 2; }));
    world.options.job.gates.tracking_with_finalizers = false;
    world.restart_controllers();
    ASSERT_TRUE(world.run_until([&] { return world.job().status.succeeded >= 6; }));
    EXPECT_TRUE(world.job().metadata.annotations.contains("muster.dev/counts-lingering-pods"));
    EXPECT_EQ(world.truth.tracked(), 0u) << "without the gate the controller removes no finalizers";
    world.options.job.gates.tracking_with_finalizers = true;
    world.restart_controllers();
    ASSERT_TRUE(world.run_until([&] { return world.is_finished(); }));
    EXPECT_EQ(world.end_of(), "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.succeeded, 12);
    EXPECT_EQ(world.truth.tracked(), 0u) << "such a Job stays as it was";

    ASSERT_TRUE(world.create_job(manifest("completions: 2, parallelism: 2", "restartPolicy: Never", "k")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.tracked() == 2; })) << "but a new one is tracked";
    expect_end(world, "Complete: CompletionsReached", "k");
}

TEST_P(JobBehaviour, AJobMadeWhileTrackingWasOffGoesOnWithoutFinalizers) {
    WorldOptions options = with_script([](const PodRun& run) { return succeed(1s * (1 + run.ordinal % 3)); });
    options.job.gates.tracking_with_finalizers = false;
    World world(std::move(options));
    world.truth.is_tracking = false;
    ASSERT_TRUE(world.create_job(manifest("completions: 9, parallelism: 3")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.succeeded >= 2; }));
    EXPECT_EQ(world.truth.tracked(), 0u);
    world.options.job.gates.tracking_with_finalizers = true;
    world.restart_controllers();
    bool tracked = false;
    ASSERT_TRUE(world.run_until([&] {
        tracked = tracked || world.truth.tracked() > 0;
        return world.is_finished();
    }));
    EXPECT_FALSE(tracked) << "it stays as it was made";
    EXPECT_EQ(world.end_of(), "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.succeeded, 9);
}

TEST(JobBehaviourOfIndexes, WithTheGateOffAnIndexedJobCanStillBeDeleted) {
    World world(with_script(always(succeed(60s))));
    ASSERT_TRUE(world.create_job(job_manifest("completionMode: Indexed, completions: 3, parallelism: 3")).ok());
    ASSERT_TRUE(world.run_until([&] { return count_running(world) == 3; }));
    world.options.job.gates.indexed_job = false;
    world.restart_controllers();
    world.run_for(1s);
    ASSERT_TRUE(world.remove<Job>("j", "Foreground").ok());
    EXPECT_TRUE(world.run_until([&] { return !world.truth.job("j"); })) << "it waits for its pods, and they for it";
    EXPECT_TRUE(world.truth.present_pods().empty());
}

TEST(JobBehaviourOfIndexes, TheGateOffLeavesIndexedJobsAloneUntilItIsOnAgain) {
    World world(with_script(always(succeed(2s))));
    ASSERT_TRUE(world.create_job(job_manifest("completionMode: Indexed, completions: 6, parallelism: 2")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.succeeded >= 2; }));
    world.options.job.gates.indexed_job = false;
    world.restart_controllers();
    world.run_for(60s);
    const std::size_t pods = world.truth.pods().size();
    EXPECT_LE(pods, 4u);
    EXPECT_FALSE(world.is_finished());
    world.options.job.gates.indexed_job = true;
    world.restart_controllers();
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.completed_indexes, "0-5");
    EXPECT_EQ(world.truth.pods().size(), 6u) << "no index ran twice";
}

TEST(JobBehaviourOfIndexes, ScalingDownForgetsTheIndexesBeyond) {
    World world(with_script([](const PodRun& run) { return succeed(run.index >= 3 ? 1s : 20s); }));
    ASSERT_TRUE(world.create_job(job_manifest("completionMode: Indexed, completions: 5, parallelism: 5")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.succeeded == 2; }));
    EXPECT_EQ(world.job().status.completed_indexes, "3,4");
    const auto shrink = [](Job& job) { job.spec.completions = job.spec.parallelism = 3; };
    ASSERT_TRUE(world.change_job("j", shrink).ok());
    ASSERT_TRUE(world.run_until([&] { return world.job().status.succeeded == 0; }));
    EXPECT_EQ(world.job().status.completed_indexes, "");
    world.restart_controllers();
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_EQ(world.job().status.completed_indexes, "0-2");
}

TEST(JobBehaviourOfWorkQueues, TheFirstSuccessStopsNewPodsAndTheLastEndCompletes) {
    World world(with_script([](const PodRun& run) {
        return run.ordinal == 0 ? fail() : succeed(1s + std::chrono::seconds(3 * run.ordinal));
    }));
    ASSERT_TRUE(world.create_job(job_manifest("parallelism: 3")).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.succeeded == 1; }));
    EXPECT_FALSE(world.is_finished()) << "others run on";
    world.restart_controllers();
    expect_end(world, "Complete: CompletionsReached");
    EXPECT_GE(world.job().status.succeeded, 2);
}

TEST(JobBehaviourOfOwners, PodsAreAdoptedAndReleasedByTheirLabels) {
    World world(with_script(always(succeed(30s))));
    const char* stray =
        "metadata: {name: stray, labels: {app: a}}\n"
        "spec: {nodeName: node-1, containers: [{name: c, image: i}], restartPolicy: Never}\n";
    ASSERT_TRUE(world.create<Pod>(stray).ok());
    ASSERT_TRUE(world
                    .create_job("metadata: {name: j}\nspec: {completions: 2, parallelism: 2, manualSelector: true, "
                                "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: "
                                "{nodeName: node-1, restartPolicy: Never, containers: [{name: c, image: i}]}}}\n")
                    .ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.job("j") && world.job().status.ready == 2; }));
    EXPECT_EQ(world.truth.pods().size(), 2u) << "the stray pod is one of the two";
    EXPECT_EQ(world.truth.tracked(), 2u);
    const auto leave = [](Pod& pod) { pod.metadata.labels.set("app", "b"); };
    ASSERT_TRUE(world.change<Pod>("stray", leave).ok());
    ASSERT_TRUE(world.run_until([&] { return world.truth.pods().size() == 3; })) << "it is replaced";
    world.restart_controllers();
    expect_end(world, "Complete: CompletionsReached");
    for (const auto& pod : world.truth.present_pods()) {
        const bool is_stray = pod->metadata.name == "stray";
        EXPECT_EQ(pod->metadata.owner_references.size(), is_stray ? 0u : 1u);
    }
}

}  // namespace job_behaviour_test
}  // namespace muster::worlds
