// What the Job controller counts over whole lives of Jobs: every fact once, whatever goes wrong in the middle.
#include "controllers/behaviour.h"

namespace muster::worlds {
namespace job_metrics_test {

// The value of the series that is written like this, or -1 when there is none.
double value_of(const World& world, const std::string& series) {
    const std::string text = "\n" + world.metrics.format();
    const std::size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
}

TEST(JobMetrics, TellOfASuccess) {
    World world(with_script([](const PodRun& run) { return run.ordinal == 0 ? fail() : succeed(); }));
    ASSERT_TRUE(world.create_job(job_manifest("completionMode: Indexed, completions: 3, parallelism: 3")).ok());
    ASSERT_TRUE(
        world.create_job(job_manifest("completions: 2, managedBy: example.com/other", "restartPolicy: Never", "theirs"))
            .ok());
    expect_end(world, "Complete: CompletionsReached");
    const struct {
        const char* series;
        double value;
    } wanted[] = {
        {R"(jobs_finished_total{completion_mode="Indexed",reason="CompletionsReached",result="succeeded"})", 1},
        {R"(job_pods_finished_total{completion_mode="Indexed",result="succeeded"})", 3},
        {R"(job_pods_finished_total{completion_mode="Indexed",result="failed"})", 1},
        {R"(job_finished_indexes_total{backoffLimit="global",status="succeeded"})", 3},
        {R"(job_finished_indexes_total{backoffLimit="global",status="failed"})", -1},
        {R"(job_pods_creation_total{reason="new",status="succeeded"})", 3},
        {R"(job_pods_creation_total{reason="recreate_terminating_or_failed",status="succeeded"})", 1},
        {R"(job_pods_creation_total{reason="new",status="failed"})", -1},
        {R"(terminated_pods_tracking_finalizer_total{event="add"})", 4},
        {R"(terminated_pods_tracking_finalizer_total{event="delete"})", 4},
        {R"(jobs_by_external_controller_total{controller_name="example.com/other"})", 1},
    };
    for (const auto& [series, value] : wanted)
        EXPECT_EQ(value_of(world, std::string("job_controller_") + series), value) << world.metrics.format();
    EXPECT_EQ(value_of(world, "job_terminated_pod_tracking_finalizer"), 0);
    // #118759: a pod that fails is no failure of a sync.
    EXPECT_EQ(value_of(world, R"(workqueue_retries_total{name="job"})"), 0);
    double syncs = 0;
    for (const char* action : {"reconciling", "tracking", "pods_created"}) {
        const std::string labels =
            std::string(R"({action=")") + action + R"(",completion_mode="Indexed",result="success"})";
        const double count = value_of(world, "job_controller_job_syncs_total" + labels);
        EXPECT_GE(count, 1) << action;
        EXPECT_EQ(value_of(world, "job_controller_job_sync_duration_seconds_count" + labels), count) << action;
        syncs += count;
    }
    EXPECT_LT(syncs, 30);
    EXPECT_EQ(world.metrics.format().find(R"(completion_mode="NonIndexed")"), std::string::npos)
        << "a Job of another controller is not synced";
}

TEST(JobMetrics, TellOfAFailureAndOfThePolicyThatMadeIt) {
    World world(with_script([](const PodRun& run) { return run.ordinal == 1 ? fail(42) : succeed(60s); }));
    ASSERT_TRUE(world
                    .create_job(job_manifest("completions: 3, parallelism: 3, podFailurePolicy: {rules: [{action: "
                                             "FailJob, onExitCodes: {operator: In, values: [42]}}]}"))
                    .ok());
    expect_end(world, "Failed: PodFailurePolicy");
    EXPECT_EQ(value_of(world, R"(job_controller_jobs_finished_total{completion_mode="NonIndexed",)"
                              R"(reason="PodFailurePolicy",result="failed"})"),
              1)
        << world.metrics.format();
    EXPECT_EQ(value_of(world, R"(job_controller_pod_failures_handled_by_failure_policy_total{action="FailJob"})"), 1);
    EXPECT_EQ(value_of(world, R"(job_controller_job_pods_finished_total{completion_mode="NonIndexed",)"
                              R"(result="failed"})"),
              3);
    EXPECT_GE(value_of(world, R"(job_controller_job_syncs_total{action="pods_deleted",completion_mode="NonIndexed",)"
                              R"(result="success"})"),
              1);
}

// #112873, #112948: whichever write is refused, the Job has finished once, and each pod.
TEST(JobMetrics, ARefusedWriteIsNotCounted) {
    for (const FaultKind kind : {FaultKind::kRefuse, FaultKind::kConflict}) {
        for (std::size_t position = 4; position < 30; ++position) {
            FaultPlan faults;
            faults.kind = kind;
            faults.position = position;
            World world(with_script(always(succeed())), faults);
            ASSERT_TRUE(world.create_job(job_manifest("completions: 3, parallelism: 2")).ok());
            expect_end(world, "Complete: CompletionsReached");
            EXPECT_EQ(value_of(world, R"(job_controller_jobs_finished_total{completion_mode="NonIndexed",)"
                                      R"(reason="CompletionsReached",result="succeeded"})"),
                      1)
                << name_of(kind) << " at call " << position << " (" << world.faults.hit << ")";
            EXPECT_EQ(value_of(world, R"(job_controller_job_pods_finished_total{completion_mode="NonIndexed",)"
                                      R"(result="succeeded"})"),
                      3)
                << name_of(kind) << " at call " << position << " (" << world.faults.hit << ")";
        }
    }
}

}  // namespace job_metrics_test
}  // namespace muster::worlds
