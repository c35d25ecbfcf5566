#include "controllers/queue/admission/workloads/place.h"

#include <gtest/gtest.h>

#include <functional>

#include "api/codec/decode.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::queue {
namespace place_test {

using api::kueue::Workload;

const Instant kNow = Instant::from_unix_seconds(1'000'000);

// A Workload of the LocalQueue l in the ClusterQueue q, which takes all namespaces.
struct PlaceWorld {
    PlaceWorld() {
        workload = api::from_yaml<Workload>(
                       "{metadata: {name: w, namespace: team, uid: u}, spec: {queueName: l, podSets: [{name: main, "
                       "count: 2, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]}}")
                       .value();
        local_queue =
            api::from_yaml<api::kueue::LocalQueue>("{metadata: {name: l, namespace: team}, spec: {clusterQueue: q}}")
                .value();
        info.activity.active = true;
        info.namespaces = api::LabelSelector();
        facts.local_queue = &local_queue;
        facts.cluster_queue = &info;
    }
    void reserve() {
        workload.status.admission = api::from_yaml<api::kueue::Admission>("{clusterQueue: other}").value();
        set_condition(workload.status, "QuotaReserved", true, "QuotaReserved", "", 1, kNow);
    }
    void admit() {
        reserve();
        set_condition(workload.status, "Admitted", true, "Admitted", "", 1, kNow);
    }
    Place find() const { return find_place(workload, before, facts); }

    Workload workload;
    api::kueue::LocalQueue local_queue;
    QueueInfo info;
    PlaceFacts facts;
    Place before;
};

TEST(WorkloadPlace, IsFoundFromTheWorkloadAndItsQueues) {
    const struct {
        const char* sentence;
        std::function<void(PlaceWorld&)> happens;
        Phase phase;
        const char* cluster_queue;
        const char* obstacle;
    } kCases[] = {
        {"it waits", [](PlaceWorld&) {}, Phase::kPending, "q", ""},
        {"it is switched off", [](PlaceWorld& it) { it.workload.spec.active = false; }, Phase::kNone, "q", ""},
        {"it is being deleted",
         [](PlaceWorld& it) { it.workload.metadata.deletion_timestamp = api::Time::from_instant(kNow); }, Phase::kNone,
         "q", ""},
        {"it names no queue",
         [](PlaceWorld& it) {
             it.workload.spec.queue_name = "";
             it.facts.local_queue = nullptr;
         },
         Phase::kInadmissible, "", "The workload names no LocalQueue"},
        {"its LocalQueue is missing", [](PlaceWorld& it) { it.facts.local_queue = nullptr; }, Phase::kInadmissible, "",
         "LocalQueue l doesn't exist"},
        {"its LocalQueue is stopped", [](PlaceWorld& it) { it.local_queue.spec.stop_policy = Text("Hold"); },
         Phase::kInadmissible, "q", "LocalQueue l is inactive"},
        {"its ClusterQueue is missing", [](PlaceWorld& it) { it.facts.cluster_queue = nullptr; }, Phase::kInadmissible,
         "q", "ClusterQueue q doesn't exist"},
        {"its ClusterQueue is inactive", [](PlaceWorld& it) { it.info.activity.active = false; }, Phase::kInadmissible,
         "q", "ClusterQueue q is inactive"},
        {"its namespace is not taken", [](PlaceWorld& it) { it.info.namespaces = api::LabelSelector::nothing(); },
         Phase::kInadmissible, "q", "workload namespace doesn't match ClusterQueue selector"},
        {"an admission gate holds it",
         [](PlaceWorld& it) {
             it.workload.metadata.annotations.set("kueue.x-k8s.io/admission-gated-by", "a.org/gate");
         },
         Phase::kInadmissible, "q", "a.org/gate"},
        {"it waits for pods in the place of others",
         [](PlaceWorld& it) { set_condition(it.workload.status, "WaitingForReplacementPods", true, "x", "", 1, kNow); },
         Phase::kInadmissible, "q", ""},
        {"it has quota in another queue", [](PlaceWorld& it) { it.reserve(); }, Phase::kReserving, "other", ""},
        {"it is admitted", [](PlaceWorld& it) { it.admit(); }, Phase::kAdmitted, "other", ""},
        {"it is finished, and stays where it was counted",
         [](PlaceWorld& it) {
             it.admit();
             it.before = it.find();
             set_condition(it.workload.status, "Finished", true, "Succeeded", "", 1, kNow);
         },
         Phase::kNone, "other", ""},
    };
    for (const auto& [sentence, happens, phase, cluster_queue, obstacle] : kCases) {
        PlaceWorld it;
        happens(it);
        const Place place = it.find();
        EXPECT_EQ(static_cast<int>(place.phase), static_cast<int>(phase)) << sentence;
        EXPECT_EQ(place.cluster_queue, cluster_queue) << sentence;
        EXPECT_NE(place.obstacle.view().find(obstacle), std::string::npos) << sentence << ": " << place.obstacle.str();
        EXPECT_EQ(place.obstacle.empty(), phase != Phase::kInadmissible) << sentence;
    }
}

TEST(WorkloadPlace, SaysWhatAWorkloadAsksForWhileItWaits) {
    PlaceWorld it;
    EXPECT_EQ(it.find().asks, (Asks{{"cpu", 2000}}));
    it.admit();
    EXPECT_TRUE(it.find().asks.empty());
}

TEST(WorkloadPlace, SaysWhetherPodsAreReady) {
    PlaceWorld it;
    EXPECT_FALSE(it.find().unready) << "it has no pods yet";
    it.admit();
    EXPECT_TRUE(it.find().unready);
    set_condition(it.workload.status, "PodsReady", true, "Started", "", 1, kNow);
    EXPECT_FALSE(it.find().unready);
}

TEST(WorkloadPlace, IsWhatTheEngineIsTold) {
    PlaceWorld it;
    Engine engine;
    const ItemId item = engine.add_item();
    const auto state = [&] {
        enter_engine(engine, item, it.workload, it.find(), kNow, it.facts.rules);
        return engine.item(item).state;
    };
    EXPECT_EQ(state(), ItemState::kPending);
    EXPECT_EQ(engine.pending("q"), 1u);
    it.local_queue.spec.stop_policy = Text("Hold");
    EXPECT_EQ(state(), ItemState::kKnown);
    EXPECT_EQ(engine.pending("q"), 0u);
    it.admit();
    EXPECT_EQ(state(), ItemState::kHolding);
    EXPECT_FALSE(engine.item(item).evicting);
    set_condition(it.workload.status, "Evicted", true, "Preempted", "", 1, kNow);
    EXPECT_EQ(state(), ItemState::kHolding) << "its pods may still run";
    EXPECT_TRUE(engine.item(item).evicting);
    set_condition(it.workload.status, "Finished", true, "Succeeded", "", 1, kNow);
    EXPECT_EQ(state(), ItemState::kKnown);
}

}  // namespace place_test
}  // namespace muster::controllers::queue
