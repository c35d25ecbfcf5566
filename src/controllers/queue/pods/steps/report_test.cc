#include "controllers/queue/pods/steps/report.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace report_test {

namespace kn = api::kueue;

std::string waiting_reason(const kn::WorkloadStatus& status) {
    const auto* condition = find_condition(status, kn::kWorkloadWaitingForReplacementPods);
    if (!condition) return "never";
    return (condition->status == "True" ? "waits: " : "complete: ") + condition->reason.str();
}

TEST(ReportStep, SaysWhetherPodsAreMissing) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        const char* missing;
        const char* reported;
    } kCases[] = {
        {"all run", [](PodsTestWorld&) {}, "", "never"},
        {"one has failed", [](PodsTestWorld& it) { it.end("p0", "Failed"); }, "", "waits: PodsFailed"},
        {"one has failed, and the group is evicted",
         [](PodsTestWorld& it) {
             it.end("p0", "Failed");
             it.evict("Preempted");
         },
         "", "waits: Preempted"},
        {"all are there, and would make no Workload", [](PodsTestWorld&) {}, "another count", "waits: PodsFailed"},
        {"all are there again",
         [](PodsTestWorld& it) {
             set_condition(it.workload->status, kn::kWorkloadWaitingForReplacementPods, true, "x", "", 1, it.now);
         },
         "", "complete: PodsReady"},
    };
    for (const auto& [sentence, happens, missing, reported] : kCases) {
        PodsTestWorld world;
        world.make_running(2);
        happens(world);
        kn::WorkloadStatus status = world.workload->status;
        report_group(world.survey(), missing, status);
        EXPECT_EQ(waiting_reason(status), reported) << sentence;
    }
}

TEST(ReportStep, SaysWhetherAllPodsAreReadyWhenThatIsWatched) {
    PodsTestWorld world;
    world.make_running(1);
    kn::WorkloadStatus status = world.workload->status;
    report_group(world.survey(), "", status);
    EXPECT_FALSE(find_condition(status, kn::kWorkloadPodsReady)) << "it is not watched";
    world.watch_readiness = true;
    report_group(world.survey(), "", status);
    EXPECT_FALSE(is_true(status, kn::kWorkloadPodsReady));
    api::core::PodCondition ready;
    ready.type = "Ready";
    ready.status = "True";
    world.pods.at("p0").status.conditions.edit().push_back(ready);
    report_group(world.survey(), "", status);
    EXPECT_TRUE(is_true(status, kn::kWorkloadPodsReady));
}

TEST(ReportStep, IsNotReadyWhilePodsAreMissing) {
    PodsTestWorld world;
    world.make_running(2);
    world.watch_readiness = true;
    api::core::PodCondition ready;
    ready.type = "Ready";
    ready.status = "True";
    for (auto& [name, pod] : world.pods) pod.status.conditions.edit().push_back(ready);
    world.pods.erase("p0");
    kn::WorkloadStatus status = world.workload->status;
    report_group(world.survey(), "", status);
    EXPECT_FALSE(is_true(status, kn::kWorkloadPodsReady));
}

TEST(ReportStep, SaysOfAnEvictedGroupWhyItsPodsAreMissing) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Failed");
    world.evict();
    kn::WorkloadStatus status = world.workload->status;
    report_group(world.survey(), "", status);
    EXPECT_EQ(find_condition(status, kn::kWorkloadWaitingForReplacementPods)->message, "made room for others");
}

TEST(ReportStep, LeavesTheReadinessOfAWorkloadThatGaveItsQuotaBackAlone) {
    PodsTestWorld world;
    world.make_running(1);
    world.watch_readiness = true;
    kn::WorkloadStatus status = world.workload->status;
    give_back_quota(status, 1, world.now);
    report_group(world.survey(), "", status);
    EXPECT_FALSE(find_condition(status, kn::kWorkloadPodsReady));
}

}  // namespace report_test
}  // namespace muster::controllers::podqueue
