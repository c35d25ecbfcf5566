// The Job controller with the pace of a cluster: places are filled at once, ends are counted together, and what another
// controller has begun is brought to its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "api/kinds/batch_names.h"
#include "api/kinds/job_state.h"
#include "controllers/job/controller.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace paced_test {

using api::batch::Job;
using api::core::Pod;

// As slow as can be, so that only what does not wait happens.
constexpr jobs::Pace kSlow{.period = 10min};

JobControllerOptions with_pace(const jobs::Pace& pace) {
    JobControllerOptions options;
    options.pace = pace;
    return options;
}

constexpr const char* kTemplate =
    R"("selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "ju"}},
       "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": "ju"}},
                    "spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}})";

std::string job_with(std::string_view spec, std::string_view status = "{}") {
    return R"({"metadata": {"name": "j", "namespace": "n", "uid": "ju", "generation": 1}, "status": )" +
           std::string(status) + R"(, "spec": {)" + std::string(spec) + ", " + kTemplate + "}";
}

class PacedTest : public ::testing::Test {
protected:
    void start(const jobs::Pace& pace, std::string_view job) {
        world.put<Job>(job);
        controller = std::make_unique<JobController>(loop, world, metrics, with_pace(pace));
        controller->start();
        loop.run_for(1s);
        world.calls.clear();
    }
    client::Ref<Job> job() { return world.find<Job>("n", "j"); }
    std::vector<client::Ref<Pod>> pods(const std::function<bool(const Pod&)>& filter) {
        std::vector<client::Ref<Pod>> found;
        for (const auto& pod : world.all<Pod>())
            if (filter(*pod)) found.push_back(pod);
        return found;
    }
    std::vector<client::Ref<Pod>> active() { return pods(jobs::is_active); }
    std::vector<client::Ref<Pod>> held() {
        return pods([](const Pod& pod) { return jobs::has_ended(pod) && jobs::has_tracking_finalizer(pod); });
    }
    void end(const client::Ref<Pod>& pod, const char* phase) {
        Pod ended = *world.find<Pod>("n", pod->metadata.name);
        ended.status.phase = phase;
        world.put(std::move(ended));
    }
    void end_all(const char* phase) {
        for (const auto& pod : active()) end(pod, phase);
    }
    std::size_t count_calls(std::string_view beginning) {
        return static_cast<std::size_t>(
            std::count_if(world.calls.begin(), world.calls.end(),
                          [beginning](const std::string& call) { return call.starts_with(beginning); }));
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<JobController> controller;
};

TEST_F(PacedTest, APlaceIsFilledAtOnceAndTheEndIsCountedLater) {
    start(kSlow, job_with(R"("parallelism": 3, "completions": 10)"));
    ASSERT_EQ(active().size(), 3u);
    ASSERT_EQ(job()->status.active, 3);
    end(active()[0], "Succeeded");
    loop.run_for(100ms);
    EXPECT_EQ(active().size(), 3u);
    EXPECT_EQ(held().size(), 1u);
    EXPECT_EQ(world.calls.size(), 1u) << "a pod is made, and nothing else is written";
    loop.run_for(10min);
    EXPECT_EQ(held().size(), 0u);
    loop.run_for(10min);
    EXPECT_EQ(job()->status.succeeded, 1);
    EXPECT_EQ(active().size(), 3u);
}

TEST_F(PacedTest, EndsThatHaveGatheredAreCounted) {
    jobs::Pace pace = kSlow;
    pace.ends_max = 3;
    start(pace, job_with(R"("parallelism": 4, "completions": 100)"));
    end(active()[0], "Succeeded");
    loop.run_for(1s);
    end(active()[0], "Succeeded");
    loop.run_for(1s);
    EXPECT_EQ(held().size(), 2u);
    end(active()[0], "Succeeded");
    loop.run_for(1s);
    EXPECT_EQ(held().size(), 0u);
    EXPECT_EQ(count_calls("status jobs"), 1u);
}

TEST_F(PacedTest, AJobEndsAtOnceWhenNothingRunsAnyMore) {
    start(kSlow, job_with(R"("parallelism": 3, "completions": 3)"));
    end_all("Succeeded");
    loop.run_for(1s);
    EXPECT_TRUE(api::batch::is_finished(job()->status));
    EXPECT_EQ(job()->status.succeeded, 3);
    EXPECT_EQ(count_calls("status jobs"), 2u) << "the names, and the end";
    EXPECT_EQ(controller->remembered(), 0u);
    loop.run_for(1h);
    EXPECT_TRUE(controller->idle());
}

TEST_F(PacedTest, WhatStopsAJobIsWrittenAtOnce) {
    start(kSlow, job_with(R"("parallelism": 3, "completions": 9, "backoffLimit": 0)"));
    end(active()[0], "Failed");
    loop.run_for(1s);
    EXPECT_TRUE(api::batch::has_condition(job()->status, api::batch::kConditionFailureTarget));
    EXPECT_EQ(active().size(), 0u);
}

TEST_F(PacedTest, ASuspensionIsToldWhenItsPodsAreGone) {
    start(kSlow, job_with(R"("parallelism": 3, "completions": 9)"));
    Job suspended = *job();
    suspended.spec.suspend = true;
    suspended.metadata.generation = 2;
    world.put(std::move(suspended));
    loop.run_for(1s);
    EXPECT_EQ(active().size(), 0u);
    EXPECT_TRUE(api::batch::has_condition(job()->status, api::batch::kConditionSuspended));
    EXPECT_FALSE(job()->status.start_time);
    EXPECT_EQ(job()->status.active, 0);
    EXPECT_EQ(count_calls("status jobs"), 1u);
}

TEST_F(PacedTest, PodsAreMadeWhileTheStatusIsWrittenAndFinalizersGo) {
    jobs::Pace pace = kSlow;
    pace.ends_max = 3;
    start(pace, job_with(R"("parallelism": 4, "completions": 100)"));
    world.slow[&api::kind_info<Job>()] = 10s;
    for (int i = 0; i < 3; ++i) end(active()[0], "Succeeded");
    loop.run_for(1s);
    ASSERT_EQ(held().size(), 3u) << "their status is on its way";
    ASSERT_EQ(active().size(), 4u);
    end(active()[0], "Succeeded");
    loop.run_for(1s);
    EXPECT_EQ(active().size(), 4u);
    EXPECT_EQ(held().size(), 4u);
    loop.run_for(30s);
    EXPECT_EQ(held().size(), 1u);
}

TEST_F(PacedTest, APodCostsOneCreationAndOneReleaseAndManyShareAStatus) {
    start(jobs::kClusterPace, job_with(R"("parallelism": 50, "completions": 1000, "completionMode": "Indexed")"));
    for (int waves = 0; waves < 200 && !api::batch::is_finished(job()->status); ++waves) {
        const auto running = active();
        for (std::size_t i = 0; i < running.size(); i += 2) end(running[i], "Succeeded");
        loop.run_for(250ms);
    }
    loop.run_for(3s);
    ASSERT_TRUE(api::batch::is_finished(job()->status)) << job()->status.succeeded;
    EXPECT_EQ(job()->status.succeeded, 1000);
    EXPECT_EQ(count_calls("create pods"), 950u) << "50 were made before";
    EXPECT_EQ(count_calls("patch pods"), 1000u);
    EXPECT_LE(count_calls("status jobs"), 20u);
    EXPECT_EQ(world.all<Pod>().size(), 1000u) << "no index ran twice";
}

TEST_F(PacedTest, NothingIsMadeAgainWhileTheJobIsShownWithoutItsLastStatus) {
    jobs::Pace pace = kSlow;
    pace.ends_max = 2;
    start(pace, job_with(R"("parallelism": 2, "completions": 6)"));
    world.hold_watches<Job>(true);
    end_all("Succeeded");
    loop.run_for(10s);
    EXPECT_EQ(held().size(), 0u) << "their names are stored, and they are released";
    EXPECT_LE(world.all<Pod>().size(), 4u) << "what is no longer in the pods is in no status that is shown";
    world.hold_watches<Job>(false);
    loop.run_for(10s);
    EXPECT_EQ(active().size(), 2u);
    for (int i = 0; i < 3; ++i) {
        end_all("Succeeded");
        loop.run_for(10s);
    }
    EXPECT_TRUE(api::batch::is_finished(job()->status));
    EXPECT_EQ(world.all<Pod>().size(), 6u);
}

TEST_F(PacedTest, AFinishedJobHasNoPodThatIsStillToCome) {
    start(kSlow, job_with(R"("parallelism": 1, "completions": 2, "completionMode": "Indexed")"));
    end_all("Succeeded");
    loop.run_for(1ms);
    world.hold_watches<Pod>(true);
    loop.run_for(1s);
    ASSERT_EQ(active().size(), 1u) << "the next pod is made and not shown yet";
    Job smaller = *job();
    smaller.spec.completions = 1;
    smaller.metadata.generation = 2;
    world.put(std::move(smaller));
    loop.run_for(1min);
    EXPECT_FALSE(api::batch::is_finished(job()->status));
    world.hold_watches<Pod>(false);
    loop.run_for(1min);
    EXPECT_TRUE(api::batch::is_finished(job()->status));
    EXPECT_EQ(active().size(), 0u);
}

TEST_F(PacedTest, AStatusThatConflictsIsDecidedAgain) {
    start(jobs::kClusterPace, job_with(R"("parallelism": 1, "completions": 2)"));
    world.fail("status jobs", Code::kConflict, 2);
    end_all("Succeeded");
    loop.run_for(5s);
    end_all("Succeeded");
    loop.run_for(5s);
    EXPECT_EQ(job()->status.succeeded, 2);
    EXPECT_EQ(world.all<Pod>().size(), 2u);
}

// Where kube-controller-manager may have stopped.
TEST(Takeover, WhatAnotherControllerHasBegunIsBroughtToItsEnd) {
    const std::string started = R"({"startTime": "2024-01-01T00:00:00Z", )";
    struct PodLeft {
        const char* name;
        const char* phase;
        bool held;
        int index = -1;
        int failures = -1;
    };
    const struct {
        const char* name;
        std::string spec;
        std::string status;
        std::vector<PodLeft> pods;
        std::int32_t succeeded;
        std::int32_t failed;
    } cases[] = {
        {"after it named UIDs, before it released them",
         R"("parallelism": 2, "completions": 3)",
         started + R"("active": 0, "uncountedTerminatedPods": {"succeeded": ["a", "b"]}})",
         {{"a", "Succeeded", true}, {"b", "Succeeded", true}},
         3,
         0},
        {"after it released some, before it counted them",
         R"("parallelism": 2, "completions": 3)",
         started + R"("uncountedTerminatedPods": {"succeeded": ["a", "b"]}})",
         {{"a", "Succeeded", false}, {"b", "Succeeded", true}},
         3,
         0},
        {"after it released pods that are gone by now",
         R"("parallelism": 2, "completions": 3)",
         started + R"("uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["b"]}})",
         {},
         3,
         1},
        {"after the indexes were told, before the finalizers went",
         R"("parallelism": 2, "completions": 3, "completionMode": "Indexed")",
         started + R"("succeeded": 2, "completedIndexes": "0,1"})",
         {{"a", "Succeeded", true, 0}, {"b", "Succeeded", false, 1}},
         3,
         0},
        {"between SuccessCriteriaMet and the end",
         R"("parallelism": 2, "completions": 2)",
         started +
             R"("succeeded": 1, "uncountedTerminatedPods": {"succeeded": ["b"]},
                "conditions": [{"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached"}]})",
         {{"a", "Succeeded", false}, {"b", "Succeeded", true}},
         2,
         0},
        {"between FailureTarget and the end",
         R"("parallelism": 2, "completions": 2, "backoffLimit": 0)",
         started + R"("conditions": [{"type": "FailureTarget", "status": "True", "reason": "BackoffLimitExceeded"}]})",
         {{"a", "Failed", true}, {"b", "Running", true}},
         0,
         2},
        {"in the middle of the slow start of its creations",
         R"("parallelism": 4, "completions": 4)",
         started + R"("active": 1})",
         {{"a", "Running", true}},
         4,
         0},
        {"while an index waited for its next pod",
         R"("parallelism": 2, "completions": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 2)",
         started + R"("active": 1})",
         {{"a", "Failed", true, 0, 1}, {"b", "Running", true, 1, 0}},
         2,
         1},
        {"after it suspended the Job and kept its start time",
         R"("parallelism": 1, "completions": 1, "suspend": true)",
         started + R"("conditions": [{"type": "Suspended", "status": "True", "reason": "JobSuspended"}]})",
         {},
         0,
         0},
    };
    for (const auto& each : cases) {
        for (const jobs::Pace& pace : {jobs::Pace{}, jobs::kClusterPace}) {
            SCOPED_TRACE(std::string(each.name) + (pace.counts_aside() ? ", with a pace" : ""));
            os::VirtualLoop loop;
            FakeWorld world(loop);
            client::Metrics metrics;
            world.put<Job>(job_with(each.spec, each.status));
            for (const PodLeft& left : each.pods) {
                Pod pod = api::from_yaml<Pod>(
                              R"({"metadata": {"namespace": "n", "labels": {"batch.kubernetes.io/controller-uid": "ju"},
                                  "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "ju",
                                  "controller": true}]}, "spec": {"containers": [{"name": "c"}]}})")
                              .value();
                pod.metadata.name = pod.metadata.uid = left.name;
                pod.status.phase = left.phase;
                if (left.held) pod.metadata.finalizers.edit().push_back(api::batch::kTrackingFinalizer);
                if (left.index >= 0)
                    pod.metadata.annotations.set(api::batch::kCompletionIndexAnnotation, std::to_string(left.index));
                if (left.failures >= 0)
                    pod.metadata.annotations.set(api::batch::kIndexFailureCountAnnotation,
                                                 std::to_string(left.failures));
                world.put(std::move(pod));
            }
            JobController controller(loop, world, metrics, with_pace(pace));
            controller.start();
            for (int step = 0; step < 20; ++step) {
                loop.run_for(2min);
                for (const auto& pod : world.all<Pod>()) {
                    if (jobs::has_ended(*pod)) continue;
                    Pod ended = *pod;
                    ended.status.phase = ended.metadata.deletion_timestamp ? "Failed" : "Succeeded";
                    world.put(std::move(ended));
                }
            }
            const auto job = world.find<Job>("n", "j");
            EXPECT_EQ(job->status.succeeded, each.succeeded);
            EXPECT_EQ(job->status.failed, each.failed);
            EXPECT_EQ(api::batch::is_finished(job->status), !api::batch::is_suspended(job->spec));
            EXPECT_EQ(job->status.start_time.has_value(), !api::batch::is_suspended(job->spec));
            for (const auto& pod : world.all<Pod>()) EXPECT_TRUE(pod->metadata.finalizers.empty());
        }
    }
}

}  // namespace paced_test
}  // namespace muster::controllers
