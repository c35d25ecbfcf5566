#include "controllers/queue/admission/workloads/reports.h"

#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "controllers/queue/workload/workload_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers::queue {
namespace reports_test {

using api::kueue::Workload;

struct ReportsWorld {
    ReportsWorld()
        : world(loop),
          metrics(all_metrics),
          environment(loop, world),
          reports(loop, world, metrics, environment, engine) {
        world.put<api::kueue::ClusterQueue>("{metadata: {name: q, generation: 1}}");
        world.put<api::kueue::LocalQueue>("{metadata: {name: l, namespace: team}, spec: {clusterQueue: q}}");
        Environment::Listener listener;
        listener.changed = [] {};
        listener.cluster_queue_gone = [](const Text&) {};
        listener.local_queue_gone = [](const client::ObjectName&) {};
        listener.local_queue_changed = [](const client::ObjectName&) {};
        environment.start(std::move(listener));
        loop.run_for(1s);
        workload = api::from_yaml<Workload>(
                       "{metadata: {name: w, namespace: team, uid: u}, spec: {queueName: l}, "
                       "status: {admission: {clusterQueue: q}}}")
                       .value();
        workload.metadata.creation_timestamp = api::Time::from_instant(loop.now());
    }
    bool shows(const std::string& metric) const { return all_metrics.format().find(metric) != std::string::npos; }
    std::vector<std::string> events() {
        loop.run_for(1s);
        std::vector<std::string> out;
        for (const auto& event : world.all<api::core::Event>())
            out.push_back(event->type.str() + " " + event->reason.str());
        return out;
    }

    os::VirtualLoop loop;
    FakeWorld world;
    client::Metrics all_metrics;
    AdmissionMetrics metrics;
    Engine engine;
    Environment environment;
    WorkloadReports reports;
    Workload workload;
};

TEST(WorkloadReports, TellOfAnAdmission) {
    ReportsWorld it;
    Told told;
    told.what = Told::What::kAdmission;
    told.reason = "Admitted";
    told.message = "m";
    it.reports.stored(it.workload, told);
    EXPECT_EQ(it.events(), std::vector<std::string>{"Normal Admitted"});
    EXPECT_TRUE(it.shows("kueue_quota_reserved_workloads_total{cluster_queue=\"q\",priority_class=\"\"} 1"));
    EXPECT_TRUE(it.shows("kueue_admitted_workloads_total{cluster_queue=\"q\",priority_class=\"\"} 1"));
}

TEST(WorkloadReports, CountNothingInQueuesThatAreGone) {
    ReportsWorld it;
    it.world.erase<api::kueue::ClusterQueue>("", "q");
    it.loop.run_for(1s);
    Told told;
    told.what = Told::What::kAdmission;
    told.reason = "Admitted";
    it.reports.stored(it.workload, told);
    EXPECT_FALSE(it.shows("cluster_queue=\"q\"")) << "nothing would remove it again";
}

TEST(WorkloadReports, WarnOfWhyAWorkloadWaits) {
    ReportsWorld it;
    Told told;
    told.what = Told::What::kExplanation;
    told.reason = "Pending";
    it.reports.stored(it.workload, told);
    told.reason = "";
    it.reports.stored(it.workload, told);
    EXPECT_EQ(it.events(), std::vector<std::string>{"Warning Pending"});
    EXPECT_FALSE(it.shows("kueue_quota_reserved_workloads_total{"));
}

TEST(WorkloadReports, CountAnEvictionAndItsPreemptor) {
    ReportsWorld it;
    Told told;
    told.what = Told::What::kPreemption;
    told.preemptor_queue = "q";
    told.preempt_reason = "InClusterQueue";
    told.evicted_for = "Preempted";
    it.reports.stored(it.workload, told);
    EXPECT_TRUE(
        it.shows("kueue_preempted_workloads_total{preempting_cluster_queue=\"q\",reason=\"InClusterQueue\"} 1"));
    EXPECT_TRUE(it.shows("kueue_evicted_workloads_total{cluster_queue=\"q\""));
    EXPECT_FALSE(it.shows("kueue_evicted_workloads_once_total{")) << "its status does not say that it was the first";
}

TEST(WorkloadReports, CountAnEndOnce) {
    ReportsWorld it;
    set_condition(it.workload.status, "Finished", true, "Succeeded", "", 1, it.loop.now());
    Place before;
    before.phase = Phase::kAdmitted;
    before.cluster_queue = "q";
    Place now;
    now.over = true;
    now.cluster_queue = "q";
    it.reports.settled(it.workload, before, now);
    it.reports.settled(it.workload, now, now);
    EXPECT_TRUE(it.shows("kueue_finished_workloads_total{cluster_queue=\"q\",priority_class=\"\"} 1"))
        << it.all_metrics.format();
}

TEST(WorkloadReports, CountQuotaThatIsGivenBackAfterAnEviction) {
    ReportsWorld it;
    Place before;
    before.phase = Phase::kAdmitted;
    before.cluster_queue = "q";
    Place now;
    now.phase = Phase::kPending;
    it.reports.settled(it.workload, before, now);
    EXPECT_FALSE(it.shows("eviction_latency_seconds_count")) << "it was not evicted";
    set_condition(it.workload.status, "Evicted", true, "Preempted", "", 1, it.loop.now());
    it.reports.settled(it.workload, before, now);
    EXPECT_TRUE(it.shows("reason=\"Preempted\"")) << it.all_metrics.format();
}

}  // namespace reports_test
}  // namespace muster::controllers::queue
