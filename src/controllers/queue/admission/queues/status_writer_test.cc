#include "controllers/queue/admission/queues/status_writer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/testing/fake_world.h"

namespace muster::controllers::queue {
namespace status_writer_test {

using api::kueue::ClusterQueue;
using api::kueue::LocalQueue;

struct StatusWorld {
    StatusWorld()
        : world(loop),
          metrics(all_metrics),
          environment(loop, world),
          queues(engine),
          writer(loop, world, options, metrics,
                 {environment, queues, ledger, engine, [this](const Text&) { return being_written; }}) {
        world.put<api::kueue::ResourceFlavor>("{metadata: {name: f}}");
        world.put<ClusterQueue>(
            "{metadata: {name: q, generation: 1, finalizers: [a.org/b]}, spec: {namespaceSelector: {}, "
            "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
            "4}]}]}]}}");
        world.put<LocalQueue>("{metadata: {name: l, namespace: team, generation: 1}, spec: {clusterQueue: q}}");
        Environment::Listener listener;
        listener.changed = [this] { refresh(); };
        listener.cluster_queue_gone = [this](const Text& name) { writer.forget_cluster_queue(name); };
        listener.local_queue_gone = [this](const client::ObjectName& name) { writer.forget_local_queue(name); };
        listener.local_queue_changed = [this](const client::ObjectName& name) { ledger.mark_stale(name); };
        environment.start(std::move(listener));
        writer.start();
        settle();
    }
    void refresh() {
        QueueObjectsNow now;
        now.cluster_queues = environment.cluster_queues().all();
        now.cohorts = environment.cohorts().all();
        now.flavors = environment.flavors().all();
        now.check_active = [](const Text&) { return std::optional(true); };
        for (const Text& name : queues.refresh(now).changed) ledger.mark_stale(name);
        writer.mark_cohorts_stale();
    }
    void settle() { loop.run_for(5s); }
    void add_waiting() {
        const Text cluster_queue = "q";
        ledger.add({Phase::kPending, false, cluster_queue, {"team", "l"}, {}, {}});
        writer.wake();
    }
    std::size_t status_writes() const {
        return static_cast<std::size_t>(std::count_if(world.calls.begin(), world.calls.end(), [](const auto& call) {
            return call.starts_with("status clusterqueues");
        }));
    }

    os::VirtualLoop loop;
    FakeWorld world;
    client::Metrics all_metrics;
    AdmissionMetrics metrics;
    AdmissionOptions options;
    Engine engine;
    Environment environment;
    QueueRegister queues;
    QueueLedger ledger;
    bool being_written = false;
    QueueStatusWriter writer;
};

TEST(QueueStatusWriter, WritesTheNumbersOfTheLedger) {
    StatusWorld it;
    EXPECT_EQ(it.world.find<ClusterQueue>("", "q")->status.pending_workloads, 0);
    it.add_waiting();
    it.settle();
    EXPECT_EQ(it.world.find<ClusterQueue>("", "q")->status.pending_workloads, 1);
    EXPECT_EQ(it.world.find<LocalQueue>("team", "l")->status.pending_workloads, 1);
    EXPECT_NE(it.all_metrics.format().find("kueue_pending_workloads{cluster_queue=\"q\",status=\"active\"} 1"),
              std::string::npos);
}

TEST(QueueStatusWriter, WritesManyChangesOnce) {
    StatusWorld it;
    const std::size_t before = it.status_writes();
    for (int i = 0; i < 10; ++i) it.add_waiting();
    it.settle();
    EXPECT_EQ(it.status_writes(), before + 1);
    it.writer.wake();
    it.settle();
    EXPECT_EQ(it.status_writes(), before + 1) << "nothing has changed";
}

TEST(QueueStatusWriter, RepeatsAWriteThatFailed) {
    StatusWorld it;
    it.world.fail("status clusterqueues", Code::kUnavailable, 2);
    it.add_waiting();
    it.settle();
    EXPECT_EQ(it.world.find<ClusterQueue>("", "q")->status.pending_workloads, 1);
}

TEST(QueueStatusWriter, SaysThatAQueueEndsOnlyWhenNothingIsBeingWrittenAboutItsWorkloads) {
    StatusWorld it;
    it.being_written = true;
    it.world.remove_now<ClusterQueue>("", "q");
    it.settle();
    EXPECT_EQ(it.world.find<ClusterQueue>("", "q")->status.conditions[0].reason, "Ready");
    it.being_written = false;
    it.settle();
    EXPECT_EQ(it.world.find<ClusterQueue>("", "q")->status.conditions[0].reason, "Terminating");
}

TEST(QueueStatusWriter, CountsAQueueOnceInEachCohortOfACircle) {
    StatusWorld it;
    it.world.put<api::kueue::Cohort>("{metadata: {name: a, generation: 1}, spec: {parentName: b}}");
    it.world.put<api::kueue::Cohort>("{metadata: {name: b, generation: 1}, spec: {parentName: a}}");
    ClusterQueue queue = *it.world.find<ClusterQueue>("", "q");
    queue.spec.cohort_name = "a";
    queue.metadata.generation = 2;
    it.world.put(std::move(queue));
    const Text cluster_queue = "q";
    it.ledger.add({Phase::kAdmitted, false, cluster_queue, {"team", "l"}, {}, {}});
    it.settle();
    for (const char* cohort : {"a", "b"})
        EXPECT_NE(it.all_metrics.format().find(std::string("kueue_cohort_subtree_admitted_active_workloads{cohort=\"") +
                                               cohort + "\"} 1"),
                  std::string::npos)
            << cohort;
}

TEST(QueueStatusWriter, ForgetsQueuesThatAreGone) {
    StatusWorld it;
    EXPECT_EQ(it.ledger.size(), 2u);
    it.world.erase<LocalQueue>("team", "l");
    it.world.erase<ClusterQueue>("", "q");
    it.settle();
    EXPECT_EQ(it.all_metrics.format().find("cluster_queue=\"q\""), std::string::npos);
    EXPECT_EQ(it.ledger.size(), 0u) << "or the server would grow with the names of queues";
}

}  // namespace status_writer_test
}  // namespace muster::controllers::queue
