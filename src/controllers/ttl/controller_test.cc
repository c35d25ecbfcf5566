#include "controllers/ttl/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace ttl_controller_test {

using api::batch::Job;
using api::core::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Instant kMidnight = Instant::from_unix_seconds(1704067200);  // 2024-01-01T00:00:00Z

class TtlControllerTest : public ::testing::Test {
protected:
    void start(TtlOptions options = {}) {
        controller = std::make_unique<TtlController>(loop, world, metrics, options);
        controller->start();
        loop.run_for(1s);
    }
    // A Job or a Pod "x" that ended at midnight.
    void put_job(int ttl_seconds, const char* ended = "2024-01-01T00:00:00Z") {
        world.put<Job>(
            R"({"metadata": {"name": "x", "namespace": "n"}, "spec": {"ttlSecondsAfterFinished": )" +
            std::to_string(ttl_seconds) +
            R"(}, "status": {"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": ")" + ended +
            "\"}]}}");
    }
    void put_pod(const std::string& metadata, const std::string& spec) {
        world.put<Pod>(R"({"metadata": {"name": "x", "namespace": "n")" + metadata + R"(}, "spec": {)" + spec +
                       R"(}, "status": {"phase": "Failed", "containerStatuses": [{"state": {"terminated":
                         {"finishedAt": "2024-01-01T00:00:00Z"}}}]}})");
    }
    bool job_is_there() { return world.find<Job>("n", "x") != nullptr; }
    bool pod_is_there() { return world.find<Pod>("n", "x") != nullptr; }

    os::VirtualLoop loop{kMidnight};
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<TtlController> controller;
};

TEST_F(TtlControllerTest, AFinishedJobGoesInTheForegroundWhenItsTimeIsOver) {
    put_job(60);
    start();
    loop.run_for(58s);
    EXPECT_THAT(world.calls, IsEmpty());
    loop.run_for(1s);
    EXPECT_THAT(world.calls, ElementsAre("remove jobs n/x Foreground"));
    EXPECT_THAT(metrics.format(), HasSubstr("ttl_after_finished_controller_job_deletion_duration_seconds_count 1"));
    EXPECT_TRUE(controller->idle());
}

TEST_F(TtlControllerTest, WhenTheWallClockIsSetForwardAJobWhoseTimeIsOverGoesSoon) {
    put_job(3600);
    start();
    loop.run_for(1min);
    loop.jump_wall_clock(1h);
    loop.run_for(11s);
    EXPECT_THAT(world.calls, ElementsAre("remove jobs n/x Foreground"));
}

TEST_F(TtlControllerTest, WhenTheWallClockIsSetBackAJobStaysUntilItsTimeIsOver) {
    put_job(3600);
    start();
    loop.run_for(1min);
    loop.jump_wall_clock(-1h);
    loop.run_for(1h + 50min);
    EXPECT_THAT(world.calls, IsEmpty());
    loop.run_for(10min);
    EXPECT_THAT(world.calls, ElementsAre("remove jobs n/x Foreground"));
}

TEST_F(TtlControllerTest, ALongerTimeGivenAfterTheEndIsHonoured) {
    put_job(60);
    start();
    loop.run_for(30s);
    put_job(120);
    loop.run_for(60s);
    EXPECT_THAT(world.calls, IsEmpty());
    loop.run_for(30s);
    EXPECT_EQ(world.calls.size(), 1u);
}

TEST_F(TtlControllerTest, AShorterOneToo) {
    put_job(3600);
    start();
    put_job(10);
    loop.run_for(10s);
    EXPECT_EQ(world.calls.size(), 1u);
}

TEST_F(TtlControllerTest, ARemovalThatFailsIsTriedAgain) {
    put_job(0);
    world.fail("remove jobs", Code::kUnavailable, 3);
    start();
    loop.run_for(10s);
    EXPECT_EQ(world.calls.size(), 4u);
    EXPECT_TRUE(world.find<Job>("n", "x")->metadata.deletion_timestamp);
}

TEST_F(TtlControllerTest, AJobThatChangedMeanwhileIsReadAgain) {
    put_job(0);
    world.fail("remove jobs", Code::kConflict, 1);
    start();
    EXPECT_EQ(world.calls.size(), 2u);
}

TEST_F(TtlControllerTest, AnEndInTheFutureIsReportedAndWaitedFor) {
    put_job(0, "2024-01-01T01:00:00Z");
    start();
    loop.run_for(50min);
    EXPECT_THAT(world.calls, IsEmpty());
    const auto events = world.all<api::core::Event>();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]->reason, "FinishTimeInFuture");
    loop.run_for(11min);
    EXPECT_EQ(world.calls.size(), 1u);
}

TEST_F(TtlControllerTest, AFinishedPodGoesByItsField) {
    put_pod("", R"("ttlSecondsAfterFinished": 60)");
    start();
    loop.run_for(58s);
    EXPECT_TRUE(pod_is_there());
    loop.run_for(1s);
    EXPECT_FALSE(pod_is_there());
}

TEST_F(TtlControllerTest, OrByTheAnnotation) {
    put_pod(R"(, "annotations": {"muster.dev/ttl-seconds-after-finished": "60"})", "");
    start();
    EXPECT_TRUE(pod_is_there());
    loop.run_for(60s);
    EXPECT_FALSE(pod_is_there());
}

TEST_F(TtlControllerTest, AnAnnotationThatSaysNothingIsReported) {
    put_pod(R"(, "annotations": {"muster.dev/ttl-seconds-after-finished": "soon"})", "");
    start();
    EXPECT_TRUE(pod_is_there());
    const auto events = world.all<api::core::Event>();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]->reason, "InvalidTTL");
}

TEST_F(TtlControllerTest, OrByTheLabel) {
    put_pod(R"(, "labels": {"muster.dev/ttl-seconds-after-finished": "60"})", "");
    start();
    EXPECT_TRUE(pod_is_there());
    loop.run_for(60s);
    EXPECT_FALSE(pod_is_there());
}

TEST_F(TtlControllerTest, ALabelThatSaysNothingIsReportedByItsName) {
    put_pod(R"(, "labels": {"muster.dev/ttl-seconds-after-finished": "soon"})", "");
    start();
    loop.run_for(1h);
    EXPECT_TRUE(pod_is_there());
    const auto events = world.all<api::core::Event>();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]->message,
              "The label muster.dev/ttl-seconds-after-finished is no number of seconds, so the pod is kept: \"soon\"");
}

TEST_F(TtlControllerTest, WithItsGateOnAgainWhatIsDueGoesAndNothingElse) {
    put_job(60);
    put_pod("", R"("ttlSecondsAfterFinished": 60)");
    world.put<Job>(R"({"metadata": {"name": "kept", "namespace": "n"}, "status": {"conditions": [{"type": "Complete",
                       "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}]}})");
    for (const bool of_jobs : {true, false}) {
        TtlOptions options;
        options.jobs = !of_jobs;
        options.pods = of_jobs;
        controller.reset();
        start(options);
        loop.run_for(1h);
        EXPECT_EQ(world.find<Job>("n", "x")->metadata.deletion_timestamp.has_value(), !of_jobs)
            << "each gate is for its own kind";
        EXPECT_FALSE(pod_is_there());
    }
    EXPECT_FALSE(world.find<Job>("n", "kept")->metadata.deletion_timestamp);
}

TEST_F(TtlControllerTest, WithItsGateOffNothingGoes) {
    put_job(0);
    put_pod("", R"("ttlSecondsAfterFinished": 0)");
    TtlOptions options;
    options.jobs = options.pods = false;
    start(options);
    loop.run_for(1h);
    EXPECT_TRUE(job_is_there());
    EXPECT_TRUE(pod_is_there());
    controller.reset();
    start();
    EXPECT_FALSE(pod_is_there()) << "turned on again, what was due goes";
}

}  // namespace ttl_controller_test
}  // namespace muster::controllers
