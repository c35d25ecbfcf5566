#include "controllers/queue/admission/controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/codec/decode.h"
#include "api/kinds/core/event.h"
#include "controllers/queue/objects/controller.h"
#include "controllers/queue/workload/workload_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace admission_controller_test {

using api::core::Namespace;
using api::kueue::ClusterQueue;
using api::kueue::LocalQueue;
using api::kueue::ResourceFlavor;
using api::kueue::Workload;

struct AdmissionWorld {
    explicit AdmissionWorld(AdmissionOptions options = {}) : world(loop), options_(std::move(options)) {
        world.put<ResourceFlavor>("{metadata: {name: default}}");
        world.put<Namespace>("{metadata: {name: team, labels: {kubernetes.io/metadata.name: team}}}");
        add_queue("q", "4");
        start();
    }
    void start() {
        controller.reset();
        controller.emplace(loop, world, metrics, options_);
        controller->start();
        settle();
    }
    void settle(Duration span = 5s) { loop.run_for(span); }
    void add_queue(const std::string& name, const std::string& cpu, const std::string& more = "") {
        world.put<ClusterQueue>("{metadata: {name: " + name + ", generation: 1}, spec: {namespaceSelector: {}, " +
                                more +
                                "resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: "
                                "[{name: cpu, nominalQuota: " +
                                cpu + "}]}]}]}}");
        world.put<LocalQueue>("{metadata: {name: " + name +
                              ", namespace: team, generation: 1}, spec: {clusterQueue: " + name + "}}");
    }
    void submit(const std::string& name, const std::string& cpu, int priority = 0, const std::string& queue = "q") {
        world.put<Workload>("{metadata: {name: " + name + ", namespace: team, generation: 1, creationTimestamp: '" +
                            api::Time::from_instant(loop.now()).text() + "'}, spec: {queueName: " + queue +
                            ", priority: " + std::to_string(priority) +
                            ", podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, resources: "
                            "{requests: {cpu: " +
                            cpu + "}}}]}}}]}}");
    }
    client::Ref<Workload> find(const std::string& name) { return world.find<Workload>("team", name); }
    std::string state(const std::string& name) {
        const auto it = find(name);
        if (!it) return "gone";
        if (is_finished(it->status)) return "finished";
        if (is_evicted(it->status) && it->status.admission) return "leaving";
        if (is_admitted(it->status)) return "admitted";
        if (has_reservation(it->status)) return "reserved";
        const auto* why = find_condition(it->status, "QuotaReserved");
        return why ? why->message.str() : "unknown";
    }
    void change(const std::string& name, const std::function<void(Workload&)>& edit) {
        Workload draft = *find(name);
        edit(draft);
        world.put(std::move(draft));
        settle();
    }
    void finish(const std::string& name) {
        change(name,
               [&](Workload& it) { set_condition(it.status, "Finished", true, "Succeeded", "done", 1, loop.now()); });
    }

    os::VirtualLoop loop;
    FakeWorld world;
    client::Metrics metrics;
    AdmissionOptions options_;
    std::optional<AdmissionController> controller;
};

TEST(AdmissionController, AdmitsWhatFitsAndSaysWhyTheRestWaits) {
    AdmissionWorld it;
    it.submit("a", "3");
    it.submit("b", "2");
    it.settle();
    EXPECT_EQ(it.state("a"), "admitted");
    EXPECT_EQ(
        it.state("b"),
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed");
    ASSERT_EQ(it.find("b")->status.resource_requests.size(), 1u);
    EXPECT_EQ(it.find("b")->status.resource_requests[0].name, "main");
    EXPECT_EQ(it.find("b")->status.resource_requests[0].resources.find("cpu")->text(), "2");
    const auto admission = it.find("a")->status.admission;
    EXPECT_EQ(admission->cluster_queue, "q");
    EXPECT_EQ(*admission->pod_set_assignments[0].flavors.find("cpu"), "default");
    EXPECT_EQ(admission->pod_set_assignments[0].resource_usage.find("cpu")->text(), "3");
    it.finish("a");
    EXPECT_EQ(it.state("b"), "admitted");
    EXPECT_TRUE(it.find("b")->status.resource_requests.empty()) << "its admission says it now";
}

TEST(AdmissionController, KeepsTheStatusOfQueues) {
    AdmissionWorld it;
    it.submit("a", "3");
    it.submit("b", "2");
    it.settle();
    const auto queue = it.world.find<ClusterQueue>("", "q");
    EXPECT_EQ(queue->status.pending_workloads, 1);
    EXPECT_EQ(queue->status.reserving_workloads, 1);
    EXPECT_EQ(queue->status.admitted_workloads, 1);
    EXPECT_EQ(queue->status.flavors_usage[0].resources[0].total.text(), "3");
    EXPECT_EQ(queue->status.conditions[0].reason, "Ready");
    const auto local = it.world.find<LocalQueue>("team", "q");
    EXPECT_EQ(local->status.pending_workloads, 1);
    EXPECT_EQ(local->status.flavors_reservation[0].resources[0].total.text(), "3");
    EXPECT_NE(it.metrics.format().find("kueue_admitted_workloads_total{cluster_queue=\"q\",priority_class=\"\"} 1"),
              std::string::npos)
        << it.metrics.format();
}

TEST(AdmissionController, SaysWhatIsMissing) {
    AdmissionWorld it;
    it.submit("nowhere", "1", 0, "elsewhere");
    it.world.put<LocalQueue>("{metadata: {name: dangling, namespace: team}, spec: {clusterQueue: none}}");
    it.submit("dangling", "1", 0, "dangling");
    it.world.put<ClusterQueue>(
        "{metadata: {name: picky, generation: 1}, spec: {namespaceSelector: {matchLabels: {a: b}}}}");
    it.world.put<LocalQueue>("{metadata: {name: picky, namespace: team}, spec: {clusterQueue: picky}}");
    it.submit("unwanted", "1", 0, "picky");
    it.submit("unnamed", "1", 0, "''");
    it.settle();
    EXPECT_EQ(it.state("unnamed"), "The workload names no LocalQueue");
    EXPECT_EQ(it.state("nowhere"), "LocalQueue elsewhere doesn't exist");
    EXPECT_EQ(it.state("dangling"), "ClusterQueue none doesn't exist");
    EXPECT_EQ(it.state("unwanted"), "workload namespace doesn't match ClusterQueue selector");
    it.add_queue("elsewhere", "1");
    it.settle();
    EXPECT_EQ(it.state("nowhere"), "admitted");
}

TEST(AdmissionController, PreemptsAndAdmitsOnlyWhenTheVictimIsGone) {
    AdmissionWorld it;
    it.add_queue("p", "4", "preemption: {withinClusterQueue: LowerPriority}, ");
    it.settle();
    it.submit("low", "4", 0, "p");
    it.change("low", [](Workload& w) {
        api::meta::OwnerReference owner;
        owner.name = "job";
        owner.uid = "j";
        w.metadata.owner_references.edit().push_back(owner);
    });
    EXPECT_EQ(it.state("low"), "admitted");
    it.submit("high", "4", 10, "p");
    it.settle();
    EXPECT_EQ(it.state("low"), "leaving");
    EXPECT_EQ(find_condition(it.find("low")->status, "Preempted")->reason, "InClusterQueue");
    EXPECT_NE(it.state("high").find("Pending the preemption of 1 workload(s)"), std::string::npos) << it.state("high");
    it.change("low", [&](Workload& w) { give_back_quota(w.status, 1, it.loop.now()); });
    EXPECT_EQ(it.state("high"), "admitted");
    EXPECT_NE(it.state("low"), "admitted");
}

TEST(AdmissionController, AWorkloadIsPreemptedAtMostFiveTimesAMinuteAndThenAgainInTime) {
    AdmissionWorld it;
    it.add_queue("p", "4", "preemption: {withinClusterQueue: LowerPriority}, ");
    it.submit("low", "4", 0, "p");
    it.settle();
    for (int i = 0; i < 6; ++i) {
        const std::string high = "high" + std::to_string(i);
        ASSERT_EQ(it.state("low"), "admitted") << i;
        it.submit(high, "4", 10, "p");
        it.settle(1s);
        ASSERT_EQ(it.state(high) == "admitted", i < 5) << i << ": " << it.state(high);
        if (i < 5) it.finish(high);
    }
    EXPECT_EQ(it.state("low"), "admitted");
    it.settle(60s);
    EXPECT_EQ(it.state("high5"), "admitted") << "nothing else has happened meanwhile";
    EXPECT_EQ(queue::count_preemptions(it.find("low")->status), 6);
}

TEST(AdmissionController, AWriteThatFailedIsTriedAgainAndNeverCountedTwice) {
    for (const Code code : {Code::kConflict, Code::kUnavailable}) {
        AdmissionWorld it;
        it.world.fail("status workloads team/a", code, 2);
        it.submit("a", "3");
        it.submit("b", "3");
        it.settle();
        EXPECT_EQ(it.state("a"), "admitted");
        EXPECT_NE(it.state("b"), "admitted");
        it.finish("a");
        EXPECT_EQ(it.state("b"), "admitted");
    }
}

TEST(AdmissionController, WhatIsGoneAndStillSeenIsNotWrittenAgainAndAgain) {
    AdmissionWorld it;
    it.world.slow[&api::kind_info<Workload>()] = 10ms;
    it.submit("a", "3");
    it.settle();
    ASSERT_EQ(it.state("a"), "admitted");
    it.world.hold_watches<Workload>(true);
    it.world.erase<Workload>("team", "a");
    it.submit("b", "3");
    it.world.calls.clear();
    const auto set_stop = [&](const char* how, std::int64_t generation) {
        ClusterQueue queue = *it.world.find<ClusterQueue>("", "q");
        queue.spec.stop_policy = how;
        queue.metadata.generation = generation;
        it.world.put(std::move(queue));
        it.settle(1min);
    };
    set_stop("HoldAndDrain", 2);
    EXPECT_EQ(std::count(it.world.calls.begin(), it.world.calls.end(), "status workloads team/a"), 1);
    set_stop("None", 3);
    it.world.hold_watches<Workload>(false);
    it.settle();
    EXPECT_EQ(it.state("b"), "admitted");
}

TEST(AdmissionController, AWriteThatIsRefusedIsNotTriedAgainAtOnce) {
    AdmissionWorld it;
    it.world.slow[&api::kind_info<Workload>()] = 1ms;
    it.world.fail("status workloads team/a", Code::kInvalid, 5);
    it.submit("a", "3");
    it.settle(2s);
    EXPECT_NE(it.state("a"), "admitted");
    EXPECT_LE(std::count(it.world.calls.begin(), it.world.calls.end(), "status workloads team/a"), 3);
    it.settle(10s);
    EXPECT_EQ(it.state("a"), "admitted");
}

// What throws: the write of a decision, also for a long time, and the look at what became of it.
TEST(AdmissionController, AnExceptionBecauseOfOneWorkloadCostsThatWorkloadOnly) {
    struct Case {
        const char* what;
        int writes;
        int reads;
    };
    for (const Case& each : {Case{"a write", 1, 0}, Case{"a write and a look", 1, 3}, Case{"many writes", 8, 0}}) {
        SCOPED_TRACE(each.what);
        AdmissionWorld it;
        it.world.break_calls("status workloads team/bad", each.writes);
        it.world.break_calls("get workloads team/bad", each.reads);
        it.submit("bad", "1");
        it.submit("a", "1");
        it.settle(2s);
        EXPECT_EQ(it.state("a"), "admitted");
        EXPECT_LE(std::count(it.world.calls.begin(), it.world.calls.end(), "status workloads team/bad"), 3)
            << "it is not tried again at once";
        it.submit("b", "2");
        it.settle(1min);
        EXPECT_EQ(it.state("bad"), "admitted");
        EXPECT_EQ(it.state("b"), "admitted") << "its quota is counted once";
        it.submit("c", "1");
        it.settle();
        EXPECT_NE(it.state("c"), "admitted");
    }
}

TEST(AdmissionController, AnExceptionWhileAWorkloadIsEvictedCostsThatWorkloadOnly) {
    AdmissionWorld it;
    it.add_queue("p", "4", "preemption: {withinClusterQueue: LowerPriority}, ");
    it.submit("bad", "4", 0, "p");
    it.change("bad", [](Workload& w) {
        api::meta::OwnerReference owner;
        owner.name = "job";
        owner.uid = "j";
        w.metadata.owner_references.edit().push_back(owner);
    });
    ASSERT_EQ(it.state("bad"), "admitted");
    it.world.break_calls("status workloads team/bad", 2);
    it.submit("preemptor", "4", 10, "p");
    it.submit("a", "1");
    it.settle(100ms);
    EXPECT_EQ(it.state("a"), "admitted");
    it.settle(1min);
    EXPECT_EQ(it.state("bad"), "leaving");
    EXPECT_NE(it.state("preemptor"), "admitted") << "not before the pods have gone";
}

TEST(AdmissionController, AfterARestartWhatWasAdmittedStillCounts) {
    AdmissionWorld it;
    it.submit("a", "3");
    it.settle();
    it.submit("b", "3");
    it.start();
    EXPECT_EQ(it.state("a"), "admitted");
    EXPECT_NE(it.state("b"), "admitted");
    it.world.erase<Workload>("team", "a");
    it.settle();
    EXPECT_EQ(it.state("b"), "admitted");
}

TEST(AdmissionController, AStoppedQueueDrainsAndGoesOnWhereItWas) {
    AdmissionWorld it;
    it.submit("a", "3");
    it.settle();
    ClusterQueue queue = *it.world.find<ClusterQueue>("", "q");
    queue.spec.stop_policy = "HoldAndDrain";
    queue.metadata.generation = 2;
    it.world.put(queue);
    it.settle();
    EXPECT_EQ(it.state("a"), "The ClusterQueue is stopped") << it.state("a");
    EXPECT_EQ(it.world.find<ClusterQueue>("", "q")->status.conditions[0].reason, "Stopped");
    queue = *it.world.find<ClusterQueue>("", "q");
    queue.spec.stop_policy = "None";
    queue.metadata.generation = 3;
    it.world.put(queue);
    it.settle();
    EXPECT_EQ(it.state("a"), "admitted");
}

TEST(AdmissionController, SwitchedOffItGivesItsQuotaBack) {
    AdmissionWorld it;
    it.submit("a", "3");
    it.submit("b", "3");
    it.settle();
    it.change("a", [](Workload& w) { w.spec.active = false; });
    EXPECT_EQ(it.state("b"), "admitted");
    EXPECT_NE(it.state("a"), "admitted");
    it.finish("b");
    it.change("a", [](Workload& w) { w.spec.active = true; });
    EXPECT_EQ(it.state("a"), "admitted");
}

TEST(AdmissionController, BlocksAdmissionUntilPodsAreReady) {
    AdmissionOptions options;
    options.pods_ready.emplace();
    options.pods_ready->timeout = 600s;
    options.pods_ready->block_admission = true;
    AdmissionWorld it(options);
    it.submit("a", "1");
    it.submit("b", "1");
    it.settle();
    EXPECT_EQ(it.state("a"), "admitted");
    EXPECT_EQ(it.state("b"), "waiting for all admitted workloads to be in PodsReady condition");
    it.change("a", [&](Workload& w) { keep_pods_ready(w.status, true, 1, it.loop.now()); });
    EXPECT_EQ(it.state("b"), "admitted");
}

TEST(AdmissionController, PodsThatAreNeverReadyComeBackLaterAndLater) {
    AdmissionOptions options;
    options.pods_ready.emplace();
    options.pods_ready->timeout = 60s;
    options.pods_ready->backoff_base_seconds = 10;
    options.pods_ready->backoff_limit_count = 1;
    AdmissionWorld it(options);
    it.submit("a", "1");
    it.settle(30s);
    EXPECT_EQ(it.state("a"), "admitted");
    it.settle(35s);
    EXPECT_NE(it.state("a"), "admitted");
    EXPECT_EQ(*it.find("a")->status.requeue_state->count, 1);
    it.settle(15s);
    EXPECT_EQ(it.state("a"), "admitted");
    it.settle(70s);
    EXPECT_EQ(*it.find("a")->spec.active, false);
    EXPECT_EQ(find_condition(it.find("a")->status, "Evicted")->reason, "DeactivatedDueToRequeuingLimitExceeded");
}

TEST(AdmissionController, AReclaimedPodsQuotaGoesToOthers) {
    AdmissionWorld it;
    it.world.put<Workload>(
        "{metadata: {name: wide, namespace: team, generation: 1}, spec: {queueName: q, podSets: [{name: main, count: "
        "4, "
        "template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]}}");
    it.submit("b", "2");
    it.settle();
    EXPECT_EQ(it.state("wide"), "admitted");
    EXPECT_NE(it.state("b"), "admitted");
    it.change("wide", [](Workload& w) {
        api::kueue::ReclaimablePod pods;
        pods.name = "main";
        pods.count = 2;
        w.status.reclaimable_pods.edit().push_back(pods);
    });
    EXPECT_EQ(it.state("b"), "admitted");
}

TEST(AdmissionController, TwoPhasesWithChecks) {
    AdmissionWorld it;
    it.world.put<api::kueue::AdmissionCheck>(
        "{metadata: {name: budget}, spec: {controllerName: x}, status: {conditions: [{type: Active, status: 'True', "
        "reason: Active, lastTransitionTime: '2026-01-01T00:00:00Z', message: m}]}}");
    it.add_queue("checked", "4", "admissionChecksStrategy: {admissionChecks: [{name: budget}]}, ");
    it.settle();
    it.submit("a", "1", 0, "checked");
    it.settle();
    EXPECT_EQ(it.state("a"), "reserved");
    EXPECT_EQ(it.find("a")->status.admission_checks[0].state, "Pending");
    it.change("a", [](Workload& w) { w.status.admission_checks.edit()[0].state = "Ready"; });
    EXPECT_EQ(it.state("a"), "admitted");
}

TEST(AdmissionController, ALimitRangeFillsInRequestsAndBoundsThem) {
    AdmissionWorld it;
    it.world.put<api::core::LimitRange>(
        "{metadata: {name: l, namespace: team}, spec: {limits: [{type: Container, defaultRequest: {cpu: 3}, max: {cpu: "
        "10}}, {type: Pod, min: {cpu: 100m}}]}}");
    it.settle();
    it.world.put<Workload>(
        "{metadata: {name: silent, namespace: team}, spec: {queueName: q, podSets: [{name: main, count: 1, template: "
        "{spec: {containers: [{name: c}]}}}]}}");
    it.submit("huge", "11");
    it.submit("tiny", "99m");
    it.settle();
    EXPECT_EQ(it.find("silent")->status.admission->pod_set_assignments[0].resource_usage.find("cpu")->text(), "3");
    EXPECT_EQ(it.state("huge"),
              "resources validation failed: pod set main: maximum cpu usage per Container is 10, but request is 11");
    EXPECT_EQ(it.state("tiny"),
              "resources validation failed: pod set main: minimum cpu usage per Pod is 100m, but request is 99m");
}

TEST(AdmissionController, AQueueThatIsDeletedInTheInstantOfAnAdmissionStaysForIt) {
    int went = 0;
    int stayed = 0;
    for (int offset_ms = -60; offset_ms <= 60; offset_ms += 4) {
        SCOPED_TRACE(offset_ms);
        AdmissionWorld it;
        QueueObjects holding(it.loop, it.world, it.metrics);
        holding.start();
        it.settle();
        it.world.slow[&api::kind_info<Workload>()] = 30ms;
        it.loop.after(100ms, [&] { it.submit("a", "3"); });
        it.loop.after(100ms + std::chrono::milliseconds(offset_ms),
                      [&] { it.world.remove_now<ClusterQueue>("", "q"); });
        it.settle();
        const bool holds = has_reservation(it.find("a")->status);
        EXPECT_EQ(it.world.find<ClusterQueue>("", "q") != nullptr, holds);
        (holds ? stayed : went) += 1;
        if (!holds) continue;
        it.finish("a");
        EXPECT_FALSE(it.world.find<ClusterQueue>("", "q"));
    }
    EXPECT_GT(went, 0);
    EXPECT_GT(stayed, 0);
}

TEST(AdmissionController, AWorkloadIsNotOvertakenWhileItsStatusIsWritten) {
    AdmissionWorld it;
    it.world.slow[&api::kind_info<Workload>()] = 4s;
    it.submit("first", "4", 0, "later");  // and is told that its queue is not there
    it.settle(1s);
    it.add_queue("later", "4", "queueingStrategy: StrictFIFO, ");
    it.settle(1s);
    it.submit("second", "4", 0, "later");
    it.settle(1min);
    EXPECT_EQ(it.state("first"), "admitted");
    EXPECT_NE(it.state("second"), "admitted");
}

TEST(AdmissionController, TheOverheadOfARuntimeClassCounts) {
    AdmissionWorld it;
    it.world.put<Workload>(
        "{metadata: {name: a, namespace: team}, spec: {queueName: q, podSets: [{name: main, count: 2, template: "
        "{spec: {runtimeClassName: vm, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]}}");
    it.settle();
    EXPECT_EQ(it.state("a"), "resources validation failed: pod set main: RuntimeClass vm does not exist");
    it.world.put<api::runtime::RuntimeClass>("{metadata: {name: vm}, handler: v, overhead: {podFixed: {cpu: 1500m}}}");
    it.settle();
    EXPECT_EQ(it.state("a"),
              "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, previously "
              "considered podsets requests (0) + current podset request (5) > maximum capacity (4)");
    it.world.put<api::runtime::RuntimeClass>("{metadata: {name: vm}, handler: v, overhead: {podFixed: {cpu: 250m}}}");
    it.settle();
    ASSERT_EQ(it.state("a"), "admitted");
    EXPECT_EQ(it.find("a")->status.admission->pod_set_assignments[0].resource_usage.find("cpu")->text(), "2500m");
}

TEST(AdmissionController, AnOverheadThatIsFilledInAlreadyCountsOnce) {
    AdmissionWorld it;
    it.world.put<api::runtime::RuntimeClass>("{metadata: {name: vm}, handler: v, overhead: {podFixed: {cpu: 2}}}");
    it.world.put<Workload>(
        "{metadata: {name: a, namespace: team}, spec: {queueName: q, podSets: [{name: main, count: 1, template: {spec: "
        "{runtimeClassName: vm, overhead: {cpu: 2}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]}}");
    it.settle();
    ASSERT_EQ(it.state("a"), "admitted");
    EXPECT_EQ(it.find("a")->status.admission->pod_set_assignments[0].resource_usage.find("cpu")->text(), "3");
}

TEST(AdmissionController, AChangeReachesTheWorkloadsThatItConcerns) {
    AdmissionWorld it;
    it.world.put<Namespace>("{metadata: {name: other}}");
    it.world.put<ClusterQueue>(
        "{metadata: {name: picky, generation: 1}, spec: {namespaceSelector: {matchLabels: {a: b}}, resourceGroups: "
        "[{coveredResources: [cpu], flavors: [{name: late, resources: [{name: cpu, nominalQuota: 4}]}]}]}}");
    it.world.put<LocalQueue>("{metadata: {name: picky, namespace: team}, spec: {clusterQueue: picky}}");
    it.submit("a", "1", 0, "picky");
    it.submit("b", "5");
    it.settle();
    EXPECT_EQ(it.state("a"), "ClusterQueue picky is inactive");
    it.world.put<ResourceFlavor>("{metadata: {name: late}}");
    it.settle(40s);
    EXPECT_EQ(it.state("a"), "workload namespace doesn't match ClusterQueue selector");
    it.world.put<Namespace>("{metadata: {name: team, labels: {a: b}}}");
    it.settle();
    EXPECT_EQ(it.state("a"), "admitted");
    it.add_queue("q", "6");
    it.settle();
    EXPECT_NE(it.state("b"), "admitted") << "the same generation means the same";
    ClusterQueue more = *it.world.find<ClusterQueue>("", "q");
    more.metadata.generation = 2;
    it.world.put(std::move(more));
    it.settle();
    EXPECT_EQ(it.state("b"), "admitted");
    it.world.erase<LocalQueue>("team", "q");
    it.submit("c", "1");
    it.settle();
    EXPECT_EQ(it.state("c"), "LocalQueue q doesn't exist");
}

TEST(AdmissionController, ACohortSaysWhatItHasBorrowed) {
    AdmissionOptions options;
    options.fair_sharing.emplace();
    AdmissionWorld it(options);
    it.world.put<api::kueue::Cohort>("{metadata: {name: left, generation: 1}, spec: {parentName: root}}");
    it.world.put<api::kueue::Cohort>("{metadata: {name: root, generation: 1}}");
    it.add_queue("l", "1", "cohortName: left, ");
    it.add_queue("r", "3", "cohortName: root, ");
    it.submit("a", "3", 0, "l");
    it.settle();
    ASSERT_EQ(it.state("a"), "admitted");
    const auto left = it.world.find<api::kueue::Cohort>("", "left");
    ASSERT_TRUE(left->status.fair_sharing);
    EXPECT_EQ(left->status.fair_sharing->weighted_share, 500) << "two of the four that can be lent";
    it.finish("a");
    EXPECT_EQ(it.world.find<api::kueue::Cohort>("", "left")->status.fair_sharing->weighted_share, 0);
}

TEST(AdmissionController, ACircleOfCohortsIsToldToQueuesAndToThoseThatWait) {
    AdmissionWorld it;
    it.world.put<api::kueue::Cohort>("{metadata: {name: one, generation: 1}, spec: {parentName: two}}");
    it.world.put<api::kueue::Cohort>("{metadata: {name: two, generation: 1}, spec: {parentName: one}}");
    it.add_queue("c", "4", "cohortName: one, ");
    it.submit("w", "1", 0, "c");
    it.settle();
    const auto queue = it.world.find<ClusterQueue>("", "c");
    EXPECT_EQ(queue->status.conditions[0].status, "False");
    EXPECT_EQ(queue->status.conditions[0].reason, "CohortCycle");
    EXPECT_EQ(queue->status.conditions[0].message,
              "Can't admit new workloads: its cohorts are above each other in a cycle.");
    const std::string why = "ClusterQueue c is inactive";
    EXPECT_EQ(it.state("w"), why);
    const auto events = it.world.all<api::core::Event>();
    EXPECT_TRUE(std::any_of(events.begin(), events.end(), [&](const auto& event) {
        return event->involved_object.name == "w" && event->reason == "Suspended" && event->message == why;
    }));
    // They are admitted once the cycle is removed.
    it.world.put<api::kueue::Cohort>("{metadata: {name: two, generation: 2}}");
    it.settle();
    EXPECT_EQ(it.state("w"), "admitted");
    EXPECT_EQ(it.world.find<ClusterQueue>("", "c")->status.conditions[0].reason, "Ready");
}

TEST(AdmissionController, TheStrategiesOfFairSharingAreThoseOfTheConfiguration) {
    using api::kueue::FairPreemption;
    for (const FairPreemption strategy :
         {FairPreemption::kLessThanOrEqualToFinalShare, FairPreemption::kLessThanInitialShare}) {
        AdmissionOptions options;
        options.fair_sharing.emplace();
        options.fair_sharing->strategies = {strategy};
        AdmissionWorld it(options);
        it.add_queue("a", "0", "cohortName: team, preemption: {reclaimWithinCohort: Any}, ");
        it.add_queue("b", "0", "cohortName: team, preemption: {reclaimWithinCohort: Any}, ");
        it.add_queue("lender", "10", "cohortName: team, ");
        it.settle();
        it.submit("all", "10", 0, "a");
        it.settle();
        ASSERT_EQ(it.state("all"), "admitted");
        it.submit("half", "5", 0, "b");
        it.settle();
        // Afterwards the first would have nothing, which is less than the other would get.
        EXPECT_EQ(it.state("half") == "admitted", strategy == FairPreemption::kLessThanInitialShare);
    }
}

// Three queues with one resource each: a workload needs its queue's own and borrows the next one's.
TEST(AdmissionController, PreemptionsInACircleEndAndAfterARestartAgain) {
    AdmissionOptions options;
    options.fair_sharing.emplace();
    AdmissionWorld it(options);
    const char* const owners[] = {"a", "b", "c"};
    for (const std::string owner : owners) {
        std::string resources;
        for (const std::string resource : owners)
            resources +=
                "{name: example.com/" + resource + ", nominalQuota: " + (owner == resource ? "1" : "0") + "}, ";
        it.world.put<ClusterQueue>("{metadata: {name: " + owner +
                                   ", generation: 1}, spec: {namespaceSelector: {}, cohortName: team, preemption: "
                                   "{reclaimWithinCohort: Any}, resourceGroups: [{coveredResources: [example.com/a, "
                                   "example.com/b, example.com/c], flavors: [{name: default, resources: [" +
                                   resources + "]}]}]}}");
        it.world.put<LocalQueue>("{metadata: {name: " + owner +
                                 ", namespace: team, generation: 1}, spec: {clusterQueue: " + owner + "}}");
    }
    it.settle();
    for (int i = 0; i < 3; ++i) {
        const std::string own = owners[i];
        const std::string next = owners[(i + 1) % 3];
        it.world.put<Workload>("{metadata: {name: " + own + ", namespace: team, generation: 1, creationTimestamp: '" +
                               api::Time::from_instant(it.loop.now()).text() + "'}, spec: {queueName: " + own +
                               ", podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, resources: "
                               "{requests: {example.com/" +
                               own + ": 1, example.com/" + next + ": 1}}}]}}}]}}");
    }
    const auto preemptions = [&] {
        int out = 0;
        for (const char* name : owners) out += queue::count_preemptions(it.find(name)->status);
        return out;
    };
    it.settle(1h);
    EXPECT_EQ(preemptions(), 2);
    EXPECT_EQ(it.state("c"), "admitted");
    EXPECT_NE(it.state("a").find("have preempted this one"), std::string::npos) << it.state("a");
    it.start();
    it.settle(1h);
    EXPECT_EQ(preemptions(), 4);
    EXPECT_EQ(it.state("b"), "admitted");
}

struct CountedWorld : AdmissionWorld {
    using AdmissionWorld::AdmissionWorld;
    // Whether there is exactly this line.
    bool has(const std::string& line) const { return ("\n" + metrics.format()).find("\n" + line + "\n") != npos; }
    // Whether there is anything of that.
    bool speaks_of(const std::string& part) const { return metrics.format().find(part) != npos; }
    static constexpr std::size_t npos = std::string::npos;
};

TEST(AdmissionController, CountsByClusterQueueByLocalQueueAndByCohort) {
    CountedWorld it;
    it.world.put<api::kueue::Cohort>("{metadata: {name: below, generation: 1}, spec: {parentName: above}}");
    it.add_queue("c", "4", "cohortName: below, preemption: {withinClusterQueue: LowerPriority}, ");
    it.settle();
    it.submit("low", "3", 0, "c");
    it.settle();
    it.submit("high", "4", 5, "c");
    it.submit("later", "2", 0, "c");
    it.settle(2s);
    for (
        const char* line :
        {R"(kueue_pending_workloads{cluster_queue="c",status="active"} 2)",
         R"(kueue_admitted_workloads_total{cluster_queue="c",priority_class=""} 2)",
         R"(kueue_quota_reserved_workloads_total{cluster_queue="c",priority_class=""} 2)",
         R"(kueue_admission_wait_time_seconds_count{cluster_queue="c",priority_class=""} 2)",
         R"(kueue_quota_reserved_wait_time_seconds_count{cluster_queue="c",priority_class=""} 2)",
         R"(kueue_admission_checks_wait_time_seconds_count{cluster_queue="c",priority_class=""} 2)",
         R"(kueue_evicted_workloads_total{cluster_queue="c",priority_class="",reason="Preempted",underlying_cause=""} 1)",
         R"(kueue_evicted_workloads_once_total{cluster_queue="c",priority_class="",reason="Preempted",underlying_cause=""} 1)",
         R"(kueue_workload_eviction_latency_seconds_count{cluster_queue="c",reason="Preempted"} 1)",
         R"(kueue_cluster_queue_info{cluster_queue="c",parent_cohort="below",root_cohort="above"} 1)",
         R"(kueue_cohort_info{cohort="below",parent_cohort="above",root_cohort="above"} 1)",
         R"(kueue_cohort_info{cohort="above",parent_cohort="",root_cohort="above"} 1)",
         R"(kueue_cluster_queue_resource_pending{cluster_queue="c",resource="cpu"} 5)",
         R"(kueue_preempted_workloads_total{preempting_cluster_queue="c",reason="InClusterQueue"} 1)",
         R"(kueue_admitted_active_workloads{cluster_queue="c"} 1)",
         R"(kueue_local_queue_pending_workloads{name="c",namespace="team",status="active"} 2)",
         R"(kueue_local_queue_admitted_workloads_total{name="c",namespace="team",priority_class=""} 2)",
         R"(kueue_local_queue_quota_reserved_workloads_total{name="c",namespace="team",priority_class=""} 2)",
         R"(kueue_local_queue_admission_wait_time_seconds_count{name="c",namespace="team",priority_class=""} 2)",
         R"(kueue_local_queue_evicted_workloads_total{name="c",namespace="team",priority_class="",reason="Preempted",)"
         R"(underlying_cause=""} 1)",
         R"(kueue_local_queue_reserving_active_workloads{name="c",namespace="team"} 1)",
         R"(kueue_local_queue_status{active="True",name="c",namespace="team"} 1)",
         R"(kueue_local_queue_resource_usage{flavor="default",name="c",namespace="team",resource="cpu"} 4)",
         R"(kueue_cohort_subtree_quota{cohort="above",flavor="default",resource="cpu"} 4)",
         R"(kueue_cohort_subtree_resource_reservations{cohort="above",flavor="default",resource="cpu"} 4)",
         R"(kueue_cohort_subtree_admitted_active_workloads{cohort="below"} 1)",
         R"(kueue_cohort_subtree_admitted_workloads_total{cohort="above",priority_class=""} 2)",
         R"(kueue_cohort_weighted_share{cohort="below"} 0)"})
        EXPECT_TRUE(it.has(line)) << line << '\n' << it.metrics.format();
    it.finish("high");
    EXPECT_TRUE(it.has(R"(kueue_finished_workloads_total{cluster_queue="c",priority_class=""} 1)"));
    EXPECT_TRUE(it.has(R"(kueue_local_queue_finished_workloads_total{name="c",namespace="team",priority_class=""} 1)"));
}

TEST(AdmissionController, CountsHowLongItTakesUntilPodsAreReadyByPriorityClass) {
    AdmissionOptions options;
    options.pods_ready.emplace();
    options.pods_ready->timeout = 600s;
    CountedWorld it(options);
    it.submit("a", "1");
    Workload classed = *it.find("a");
    classed.spec.priority_class_ref.edit().name = "urgent";
    it.world.put(classed);
    it.settle(20s);
    EXPECT_TRUE(it.has(R"(kueue_admitted_workloads_total{cluster_queue="q",priority_class="urgent"} 1)"));
    EXPECT_FALSE(it.speaks_of("kueue_ready_wait_time_seconds_count")) << "they are not ready";
    it.change("a", [&](Workload& w) { keep_pods_ready(w.status, true, 1, it.loop.now()); });
    for (const char* name : {"kueue_ready_wait_time_seconds", "kueue_admitted_until_ready_wait_time_seconds"}) {
        const std::string labels = R"({cluster_queue="q",priority_class="urgent"} )";
        EXPECT_TRUE(it.has(std::string(name) + "_count" + labels + "1")) << it.metrics.format();
        EXPECT_TRUE(it.has(std::string(name) + "_sum" + labels + "20")) << it.metrics.format();
    }
    for (const char* name :
         {"kueue_local_queue_ready_wait_time_seconds", "kueue_local_queue_admitted_until_ready_wait_time_seconds"})
        EXPECT_TRUE(it.has(std::string(name) + R"(_count{name="q",namespace="team",priority_class="urgent"} 1)"));
    it.change("a", [&](Workload& w) { keep_pods_ready(w.status, false, 1, it.loop.now()); });
    it.change("a", [&](Workload& w) { keep_pods_ready(w.status, true, 1, it.loop.now()); });
    EXPECT_TRUE(it.has(R"(kueue_ready_wait_time_seconds_count{cluster_queue="q",priority_class="urgent"} 1)"))
        << "the first time counts";
}

TEST(AdmissionController, LocalQueuesCountNothingWhenTheirClusterQueueWasRemovedByForce) {
    AdmissionWorld it;
    it.submit("a", "3");
    it.submit("b", "2");
    it.settle();
    const auto local = [&] { return it.world.find<LocalQueue>("team", "q"); };
    ASSERT_EQ(local()->status.reserving_workloads, 1);
    ASSERT_EQ(local()->status.pending_workloads, 1);
    it.world.erase<ClusterQueue>("", "q");
    it.settle();
    EXPECT_EQ(local()->status.reserving_workloads, 0);
    EXPECT_EQ(local()->status.admitted_workloads, 0);
    EXPECT_EQ(local()->status.pending_workloads, 1) << "what waits still waits";
    EXPECT_TRUE(local()->status.flavors_reservation.empty());
    EXPECT_TRUE(local()->status.flavors_usage.empty());
}

TEST(AdmissionController, CountersOfQueuesThatAreGoneGo) {
    CountedWorld it;
    it.add_queue("c", "4", "cohortName: left, preemption: {withinClusterQueue: LowerPriority}, ");
    it.settle();
    it.submit("low", "3", 0, "c");
    it.settle();
    it.submit("high", "4", 5, "c");
    it.settle();
    for (const char* part : {"kueue_admission_wait_time_seconds_count{cluster_queue=\"c\"", "name=\"c\",namespace",
                             "preempting_cluster_queue=\"c\"", "admitted_workloads_total{cohort=\"left\""})
        EXPECT_TRUE(it.speaks_of(part)) << part;
    it.world.erase<LocalQueue>("team", "c");
    it.world.erase<ClusterQueue>("", "c");
    it.settle();
    it.finish("high");
    for (const char* part : {"cluster_queue=\"c\"", "name=\"c\",namespace", "cohort=\"left\""})
        EXPECT_FALSE(it.speaks_of(part)) << part << '\n' << it.metrics.format();
}

TEST(AdmissionController, GaugesOfWhatIsGoneGo) {
    CountedWorld it;
    const auto put = [&](int generation, const char* limit) {
        it.world.put<ClusterQueue>("{metadata: {name: c, generation: " + std::to_string(generation) +
                                   "}, spec: {namespaceSelector: {}, cohortName: left, resourceGroups: "
                                   "[{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, "
                                   "nominalQuota: 4" +
                                   limit + "}]}]}]}}");
        it.settle();
    };
    put(1, ", borrowingLimit: 2");
    it.world.put<LocalQueue>("{metadata: {name: c, namespace: team, generation: 1}, spec: {clusterQueue: c}}");
    it.settle();
    EXPECT_TRUE(it.speaks_of("kueue_cluster_queue_borrowing_limit{cluster_queue=\"c\""));
    EXPECT_TRUE(it.speaks_of("kueue_cohort_subtree_quota{cohort=\"left\""));
    put(2, "");
    EXPECT_FALSE(it.speaks_of("kueue_cluster_queue_borrowing_limit{cluster_queue=\"c\""));
    EXPECT_TRUE(it.speaks_of("kueue_cluster_queue_nominal_quota{cluster_queue=\"c\""));
    it.submit("counted", "1", 0, "c");
    it.settle();
    it.finish("counted");
    EXPECT_TRUE(it.has(R"(kueue_finished_workloads_total{cluster_queue="c",priority_class=""} 1)"));
    EXPECT_TRUE(it.has(R"(kueue_cohort_subtree_admitted_workloads_total{cohort="left",priority_class=""} 1)"));
    it.world.erase<Workload>("team", "counted");
    it.world.erase<LocalQueue>("team", "c");
    it.world.erase<ClusterQueue>("", "c");
    it.settle();
    EXPECT_FALSE(it.speaks_of("cluster_queue=\"c\"")) << it.metrics.format();
    EXPECT_FALSE(it.speaks_of("name=\"c\""));
    EXPECT_FALSE(it.speaks_of("cohort=\"left\""));
    EXPECT_TRUE(it.speaks_of("kueue_pending_workloads{cluster_queue=\"q\"")) << "others stay";
    it.controller.reset();
    EXPECT_FALSE(it.speaks_of("kueue_pending_workloads{")) << "an instance that no longer leads reports no gauges";
}

}  // namespace admission_controller_test
}  // namespace muster::controllers
