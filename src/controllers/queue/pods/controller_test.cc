#include "controllers/queue/pods/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/workload_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace pods_controller_test {

namespace kn = api::kueue;
using api::core::Pod;
using api::kueue::Workload;
using ::testing::HasSubstr;

class QueuedPodsTest : public ::testing::Test {
protected:
    QueuedPodsTest() {
        api::kueue::ResourceFlavor flavor;
        flavor.metadata.name = "f";
        world.put(std::move(flavor));
        restart();
    }
    // As after a crash: nothing is remembered.
    void restart(QueuedPodsOptions options = {}) {
        controller.reset();
        controller = std::make_unique<QueuedPods>(loop, world, metrics, std::move(options));
        controller->start();
        loop.run_for(1s);
    }
    void put_pod(const char* name, const char* group, const char* total, Duration younger_by = 0s) {
        Pod pod;
        pod.metadata.namespace_ = "default";
        pod.metadata.name = name;
        pod.metadata.creation_timestamp = api::Time::from_instant(loop.now() + younger_by);
        pod.metadata.labels.set(kn::kQueueNameLabel, "q");
        if (*group) {
            pod.metadata.labels.set(kn::kPodGroupName, group);
            pod.metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, total);
        }
        api::core::Container container;
        container.name = "c";
        pod.spec.containers.edit().push_back(std::move(container));
        pod.status.phase = "Pending";
        podqueue::admit_pod(pod, podqueue::PodSurroundings());
        world.put(std::move(pod));
    }
    void end_pod(const char* name, const char* phase) {
        Pod pod = *world.find<Pod>("default", name);
        pod.status.phase = phase;
        world.put(std::move(pod));
        loop.run_for(1s);
    }
    void admit(const char* name) {
        Workload workload = *world.find<Workload>("default", name);
        api::kueue::Admission admission;
        admission.cluster_queue = "cq";
        for (const api::kueue::PodSet& set : workload.spec.pod_sets) {
            api::kueue::PodSetAssignment assignment;
            assignment.name = set.name;
            assignment.flavors.set("cpu", "f");
            admission.pod_set_assignments.edit().push_back(std::move(assignment));
        }
        workload.status.admission = std::move(admission);
        set_condition(workload.status, "QuotaReserved", true, "QuotaReserved", "", 1, loop.now());
        set_condition(workload.status, "Admitted", true, "Admitted", "", 1, loop.now());
        world.put(std::move(workload));
        loop.run_for(1s);
    }
    void evict(const char* name) {
        Workload workload = *world.find<Workload>("default", name);
        set_condition(workload.status, "Evicted", true, "Preempted", "", 1, loop.now());
        world.put(std::move(workload));
        loop.run_for(10s);
    }
    bool has_quota(const char* name) const { return has_reservation(world.find<Workload>("default", name)->status); }
    bool held(const char* name) const { return !world.find<Pod>("default", name)->metadata.finalizers.empty(); }
    std::size_t call_index(const std::string& call) const {
        for (std::size_t i = 0; i < world.calls.size(); ++i)
            if (world.calls[i].starts_with(call)) return i;
        return world.calls.size();
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<QueuedPods> controller;
};

TEST_F(QueuedPodsTest, AGroupRunsFromTheFirstPodToTheLast) {
    put_pod("a", "g", "2");
    loop.run_for(1s);
    EXPECT_FALSE(world.find<Workload>("default", "g"));
    put_pod("b", "g", "2");
    loop.run_for(1s);
    ASSERT_TRUE(world.find<Workload>("default", "g"));
    admit("g");
    EXPECT_FALSE(podqueue::is_gated(*world.find<Pod>("default", "a")));
    EXPECT_FALSE(podqueue::is_gated(*world.find<Pod>("default", "b")));
    end_pod("a", "Succeeded");
    EXPECT_TRUE(held("a"));
    end_pod("b", "Succeeded");
    EXPECT_FALSE(held("a"));
    EXPECT_FALSE(held("b"));
    EXPECT_TRUE(is_finished(world.find<Workload>("default", "g")->status));
    EXPECT_THAT(metrics.format(), HasSubstr("kueue_pods_ungated_total 2"));
    EXPECT_THAT(metrics.format(), HasSubstr("kueue_pods_gated_total 2"));
    EXPECT_THAT(metrics.format(), HasSubstr("kueue_pods_rejected_total 0"));
    EXPECT_THAT(metrics.format(), HasSubstr("kueue_workload_creation_latency_seconds_count{job_kind=\"Pod\"} 1"));
    EXPECT_THAT(metrics.format(),
                HasSubstr("kueue_pod_scheduling_gate_removal_seconds_count{cluster_queue=\"cq\",is_group=\"true\","
                          "name=\"kueue.x-k8s.io/admission\"} 2"));
}

TEST_F(QueuedPodsTest, APodThatIsEditedWhileItWaitsIsNoYoungerForIt) {
    put_pod("a", "g", "2");
    loop.run_for(10ms);
    Pod edited = *world.find<Pod>("default", "a");
    edited.metadata.labels.set("edited", "true");
    put_pod("b", "g", "2");
    put_pod("c", "g", "2");
    world.put(std::move(edited));
    loop.run_for(10ms);
    EXPECT_TRUE(world.find<Pod>("default", "a"));
    EXPECT_TRUE(world.find<Pod>("default", "b"));
    EXPECT_FALSE(world.find<Pod>("default", "c")) << "of three made in one second it has the highest UID";
}

TEST_F(QueuedPodsTest, NoPodIsLetGoBeforeItsEndIsStored) {
    put_pod("a", "g", "1");
    loop.run_for(1s);
    admit("g");
    world.calls.clear();
    world.fail("status workloads", Code::kUnavailable, 3);
    end_pod("a", "Succeeded");
    loop.run_for(10s);
    EXPECT_FALSE(held("a"));
    // Three failures and the one that succeeded, and only then the pod.
    std::size_t stored = 0;
    for (std::size_t i = 0; i < call_index("patch pods default/a"); ++i)
        stored += world.calls[i].starts_with("status workloads") ? 1 : 0;
    EXPECT_EQ(stored, 4u);
}

TEST_F(QueuedPodsTest, WhateverCallFailsTheEndIsTheSame) {
    for (const char* call :
         {"create workloads", "update pods", "status workloads", "patch pods", "patch workloads", "remove pods"}) {
        for (const Code code : {Code::kConflict, Code::kUnavailable}) {
            SCOPED_TRACE(std::string(call));
            world.fail(call, code, 2);
            put_pod("a", "g", "2");
            put_pod("b", "g", "2");
            put_pod("late", "g", "2", 1s);
            loop.run_for(30s);
            ASSERT_TRUE(world.find<Workload>("default", "g"));
            EXPECT_FALSE(world.find<Pod>("default", "late")) << "one too many";
            admit("g");
            loop.run_for(30s);
            EXPECT_FALSE(podqueue::is_gated(*world.find<Pod>("default", "b")));
            end_pod("a", "Failed");
            put_pod("c", "g", "2");
            loop.run_for(30s);
            EXPECT_FALSE(held("a")) << "it has been replaced";
            restart();
            end_pod("b", "Succeeded");
            end_pod("c", "Succeeded");
            loop.run_for(30s);
            EXPECT_FALSE(held("b"));
            EXPECT_EQ(find_condition(world.find<Workload>("default", "g")->status, "Finished")->message,
                      "Pods succeeded: 2/2.");
            for (const char* name : {"a", "b", "c"}) world.erase<Pod>("default", name);
            world.erase<Workload>("default", "g");
            loop.run_for(1s);
        }
    }
}

TEST_F(QueuedPodsTest, AStartWhoseAnswerWasLostKeepsItsQuotaUntilItIsSeen) {
    put_pod("a", "g", "1");
    loop.run_for(1s);
    world.hold_watches<Pod>(true);
    world.lose_answer("update pods default/a", Code::kTimeout);
    admit("g");
    ASSERT_FALSE(podqueue::is_gated(*world.find<Pod>("default", "a")));
    Pod placed = *world.find<Pod>("default", "a");
    placed.spec.node_name = "n";
    placed.status.phase = "Running";
    world.put(std::move(placed));
    evict("g");
    EXPECT_TRUE(has_quota("g")) << "the mirror shows a pod that waits, and it runs";
    world.hold_watches<Pod>(false);
    loop.run_for(10s);
    EXPECT_TRUE(world.find<Pod>("default", "a")->metadata.deletion_timestamp);
    EXPECT_TRUE(has_quota("g")) << "its node has not answered";
    end_pod("a", "Failed");
    loop.run_for(10s);
    EXPECT_FALSE(has_quota("g"));
}

TEST_F(QueuedPodsTest, AStartThatWasLostOnItsWayIsRepeatedBeforeQuotaIsGivenBack) {
    for (const Code code : {Code::kTimeout, Code::kInvalid}) {
        SCOPED_TRACE(std::string(name_of(code)));
        put_pod("a", "g", "1");
        loop.run_for(1s);
        world.fail("update pods default/a", Code::kUnavailable);
        world.fail("update pods default/a", code, code == Code::kInvalid ? 1000 : 1);
        const std::size_t before = world.calls.size();
        admit("g");
        evict("g");
        EXPECT_GE(std::count(world.calls.begin() + static_cast<std::ptrdiff_t>(before), world.calls.end(),
                             "update pods default/a"),
                  2);
        loop.run_for(60s);
        EXPECT_FALSE(has_quota("g"));
        // Started after all it was stopped; refused, it waits.
        EXPECT_EQ(world.find<Pod>("default", "a") != nullptr, code == Code::kInvalid);
        if (code == Code::kInvalid) world.erase<Pod>("default", "a");
        world.erase<Workload>("default", "g");
        loop.run_for(1s);
    }
}

TEST_F(QueuedPodsTest, AStartWithoutAnAnswerIsForgottenWithItsPod) {
    put_pod("a", "g", "1");
    loop.run_for(1s);
    world.hold_watches<Pod>(true);
    world.fail("update pods default/a", Code::kTimeout);
    admit("g");
    world.erase<Pod>("default", "a");
    loop.run_for(10s);
    world.hold_watches<Pod>(false);
    loop.run_for(10s);
    EXPECT_TRUE(is_finished(world.find<Workload>("default", "g")->status));
}

TEST_F(QueuedPodsTest, ARecreatedPodHasAWorkloadOfItsOwn) {
    put_pod("p", "", "");
    loop.run_for(1s);
    ASSERT_EQ(world.all<Workload>().size(), 1u);
    const Text first = world.all<Workload>()[0]->metadata.name;
    world.erase<Pod>("default", "p");
    put_pod("p", "", "");
    loop.run_for(1s);
    ASSERT_EQ(world.all<Workload>().size(), 2u);
    for (const auto& workload : world.all<Workload>())
        EXPECT_EQ(is_finished(workload->status), workload->metadata.name == first);
    world.remove_now<Workload>("default", first);
    loop.run_for(1s);
    EXPECT_EQ(world.all<Workload>().size(), 1u) << "nothing holds it";
}

TEST_F(QueuedPodsTest, ALabelAloneMakesNoPodItsBusiness) {
    const auto run_pod = [this](const char* space, const char* name, bool queued) {
        Pod pod = api::from_yaml<Pod>(
                      "{metadata: {labels: {kueue.x-k8s.io/managed: 'true', "
                      "kueue.x-k8s.io/queue-name: q}}, spec: {nodeName: node-1, containers: [{name: c}]}, "
                      "status: {phase: Running}}")
                      .value();
        pod.metadata.namespace_ = space;
        pod.metadata.name = name;
        // As if what was queued elsewhere had been copied.
        if (queued) podqueue::admit_pod(pod, podqueue::PodSurroundings());
        pod.spec.scheduling_gates.reset();
        world.put(std::move(pod));
        loop.run_for(60s);
        return world.find<Pod>(space, name) && !world.find<Pod>(space, name)->metadata.deletion_timestamp;
    };
    EXPECT_TRUE(run_pod("default", "labelled", false));
    EXPECT_TRUE(run_pod("kube-system", "labelled", false));
    EXPECT_TRUE(run_pod("kube-system", "copied", true));
    EXPECT_FALSE(run_pod("default", "copied", true)) << "this one would run without quota";
}

TEST_F(QueuedPodsTest, WhatIsHeldIsServedToItsEndThoughTheConfigurationNoLongerCoversIt) {
    put_pod("p", "", "");
    loop.run_for(1s);
    ASSERT_EQ(world.all<Workload>().size(), 1u);
    QueuedPodsOptions elsewhere;
    elsewhere.configuration.managed_jobs_namespace_selector = api::LabelSelector::parse("team=x").value();
    restart(elsewhere);
    admit(world.all<Workload>()[0]->metadata.name.str().c_str());
    EXPECT_FALSE(podqueue::is_gated(*world.find<Pod>("default", "p")));
    end_pod("p", "Succeeded");
    EXPECT_FALSE(held("p"));
}

TEST_F(QueuedPodsTest, PodsThatAreNotManagedCostNothing) {
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "plain";
    world.put(std::move(pod));
    loop.run_for(1s);
    EXPECT_TRUE(world.calls.empty());
    EXPECT_TRUE(controller->idle());
}

}  // namespace pods_controller_test
}  // namespace muster::controllers
