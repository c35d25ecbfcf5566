#include "controllers/queue/jobs/controller.h"

#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "api/kinds/job_state.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/workload/workload_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace jobs_controller_test {

namespace kn = api::kueue;
using api::batch::Job;
using api::kueue::Workload;

// One Job in a queue, with the parts of the Job controller, of admission and of users played by the test.
struct QueuedJobsWorld {
    QueuedJobsWorld() {
        world.put<api::core::Namespace>("{metadata: {name: default}}");
        world.put<api::kueue::ResourceFlavor>("{metadata: {name: f}, spec: {nodeLabels: {disk: ssd}}}");
        world.put<api::kueue::WorkloadPriorityClass>("{metadata: {name: high}, value: 7}");
        restart();
    }
    // As after a crash: nothing is remembered.
    void restart() {
        controller.reset();
        controller.emplace(loop, world, metrics);
        controller->start();
        settle();
    }
    void settle() { loop.run_for(60s); }
    void put_job(const std::string& pod = "") {
        Job job = api::from_yaml<Job>(
                      "{metadata: {name: j, namespace: default, labels: {kueue.x-k8s.io/queue-name: q}}, spec: "
                      "{parallelism: 2, completions: 2, template: {spec: {" +
                      pod + "containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}")
                      .value();
        jobqueue::admit_job(job, jobqueue::JobSurroundings());
        world.put(std::move(job));
        settle();
    }
    Job job() { return *world.find<Job>("default", "j"); }
    client::Ref<Workload> workload() {
        const auto all = world.all<Workload>();
        EXPECT_LE(all.size(), 1u) << "one Job has one Workload";
        return all.empty() ? nullptr : all.front();
    }
    void change_job(const std::function<void(Job&)>& edit) {
        Job draft = job();
        edit(draft);
        world.put(std::move(draft));
        settle();
    }
    void change_workload(const std::function<void(Workload&)>& edit) {
        Workload draft = *workload();
        edit(draft);
        world.put(std::move(draft));
        settle();
    }
    void admit() {
        change_workload([&](Workload& it) {
            api::kueue::Admission admission;
            admission.cluster_queue = "cq";
            api::kueue::PodSetAssignment assignment;
            assignment.name = "main";
            assignment.count = 2;
            assignment.flavors.set("cpu", "f");
            admission.pod_set_assignments.edit().push_back(std::move(assignment));
            it.status.admission = std::move(admission);
            set_condition(it.status, "Evicted", false, "QuotaReserved", "", 1, loop.now());
            set_condition(it.status, "QuotaReserved", true, "QuotaReserved", "", 1, loop.now());
            set_condition(it.status, "Admitted", true, "Admitted", "", 1, loop.now());
        });
    }
    void evict() {
        change_workload([&](Workload& it) {
            set_condition(it.status, "Evicted", true, kn::kEvictedPreempted, "for another", 1, loop.now());
        });
    }
    void run_pods() {
        change_job([&](Job& it) {
            it.status.start_time = api::Time::from_instant(loop.now());
            it.status.active = 2;
        });
    }
    void stop_pods() {
        change_job([&](Job& it) {
            it.status.start_time.reset();
            it.status.active = 0;
        });
    }
    void complete() {
        change_job([&](Job& it) {
            api::batch::JobCondition condition;
            condition.type = "Complete";
            condition.status = "True";
            it.status.conditions.edit().push_back(condition);
            it.status.active = 0;
            it.status.succeeded = 2;
        });
    }
    // From its creation to its removal, with an eviction in between and a change while it waits.
    void live() {
        put_job();
        ASSERT_TRUE(workload());
        change_job([](Job& it) { it.metadata.labels.set(kn::kQueueNameLabel, "r"); });
        EXPECT_EQ(workload()->spec.queue_name, "r");
        admit();
        EXPECT_FALSE(api::batch::is_suspended(job().spec));
        EXPECT_TRUE(job().spec.template_.spec.node_selector.contains("disk"));
        run_pods();
        evict();
        EXPECT_TRUE(api::batch::is_suspended(job().spec));
        EXPECT_TRUE(has_reservation(workload()->status)) << "while pods run";
        stop_pods();
        EXPECT_FALSE(has_reservation(workload()->status));
        EXPECT_FALSE(job().spec.template_.spec.node_selector.contains("disk")) << "as it was";
        EXPECT_FALSE(job().metadata.annotations.contains(kn::kStoppingAnnotation));
        admit();
        EXPECT_FALSE(api::batch::is_suspended(job().spec));
        run_pods();
        complete();
        EXPECT_TRUE(is_finished(workload()->status));
        world.remove_now<Job>("default", "j");
        const auto last = workload();
        world.remove_now<Workload>("default", last->metadata.name);
        settle();
        EXPECT_FALSE(workload()) << "nothing holds it any more";
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::optional<QueuedJobs> controller;
};

TEST(QueuedJobs, AJobLivesThroughAQueue) {
    QueuedJobsWorld it;
    it.live();
}

TEST(QueuedJobs, WhateverCallFailsOrIsLostTheEndIsTheSame) {
    for (const char* call :
         {"create workloads", "update workloads", "status workloads", "patch workloads", "update jobs"}) {
        for (const Code code : {Code::kConflict, Code::kUnavailable}) {
            for (const bool happens : {false, true}) {
                SCOPED_TRACE(std::string(call) + (happens ? ", lost" : ", failed"));
                QueuedJobsWorld it;
                if (happens)
                    it.world.lose_answer(call, code, 2);
                else
                    it.world.fail(call, code, 2);
                it.live();
            }
        }
    }
}

TEST(QueuedJobs, AStartWhoseAnswerWasLostKeepsItsQuotaUntilItIsSeen) {
    QueuedJobsWorld it;
    it.put_job();
    it.world.hold_watches<Job>(true);
    it.world.lose_answer("update jobs", Code::kTimeout);
    it.admit();
    ASSERT_FALSE(api::batch::is_suspended(it.job().spec));
    it.evict();
    EXPECT_TRUE(has_reservation(it.workload()->status)) << "the mirror shows a Job that waits, and it may have pods";
    it.world.hold_watches<Job>(false);
    it.run_pods();
    EXPECT_TRUE(api::batch::is_suspended(it.job().spec));
    EXPECT_TRUE(has_reservation(it.workload()->status));
    it.stop_pods();
    EXPECT_FALSE(has_reservation(it.workload()->status));
}

TEST(QueuedJobs, ARunningJobThatChangesQueuesAgainWhateverFails) {
    for (const char* call : {"remove workloads", "patch workloads", "update jobs", "create workloads"}) {
        SCOPED_TRACE(call);
        QueuedJobsWorld it;
        it.put_job();
        it.admit();
        it.world.fail(call, Code::kUnavailable, 3);
        it.change_job([](Job& job) { job.spec.parallelism = 1; });
        EXPECT_TRUE(api::batch::is_suspended(it.job().spec));
        ASSERT_TRUE(it.workload());
        EXPECT_EQ(it.workload()->spec.pod_sets[0].count, 1);
        EXPECT_FALSE(has_reservation(it.workload()->status));
    }
}

TEST(QueuedJobs, AStartAfterACrashGoesOn) {
    QueuedJobsWorld it;
    it.put_job();
    it.restart();
    it.admit();
    it.restart();
    it.run_pods();
    it.evict();
    it.restart();
    it.stop_pods();
    EXPECT_FALSE(has_reservation(it.workload()->status));
    EXPECT_FALSE(it.job().metadata.annotations.contains(kn::kStoppingAnnotation));
}

TEST(QueuedJobs, AJobThatIsGoneKeepsItsQuotaUntilItsPodsHaveEnded) {
    QueuedJobsWorld it;
    it.put_job();
    it.admit();
    it.run_pods();
    it.world.put<api::core::Pod>(
        "{metadata: {name: j-0, namespace: default, labels: {kueue.x-k8s.io/podset: main}, ownerReferences: "
        "[{apiVersion: batch/v1, kind: Job, name: j, uid: " +
        it.job().metadata.uid.str() + ", controller: true}]}, spec: {nodeName: n1}, status: {phase: Running}}");
    it.world.remove_now<Job>("default", "j");
    it.settle();
    EXPECT_FALSE(is_finished(it.workload()->status));
    api::core::Pod pod = *it.world.find<api::core::Pod>("default", "j-0");
    pod.status.phase = "Failed";
    it.world.put(std::move(pod));
    it.settle();
    EXPECT_TRUE(is_finished(it.workload()->status));
}

TEST(QueuedJobs, HowLongAJobMayRunReachesItsWorkloadWhileItWaits) {
    QueuedJobsWorld it;
    it.put_job();
    it.change_job([](Job& job) { job.metadata.labels.set(kn::kMaxExecTimeSecondsLabel, "60"); });
    EXPECT_EQ(it.workload()->spec.maximum_execution_time_seconds, 60);
    it.change_job([](Job& job) { job.metadata.labels.erase(kn::kMaxExecTimeSecondsLabel); });
    EXPECT_FALSE(it.workload()->spec.maximum_execution_time_seconds);
}

TEST(QueuedJobs, WhoHoldsAJobBackHoldsItsWorkloadBack) {
    QueuedJobsWorld it;
    it.put_job();
    it.change_job([](Job& job) { job.metadata.annotations.set(kn::kAdmissionGatedByAnnotation, "a.io/x,a.io/y"); });
    EXPECT_EQ(*it.workload()->metadata.annotations.find(kn::kAdmissionGatedByAnnotation), "a.io/x,a.io/y");
    it.change_job([](Job& job) { job.metadata.annotations.erase(kn::kAdmissionGatedByAnnotation); });
    EXPECT_FALSE(it.workload()->metadata.annotations.contains(kn::kAdmissionGatedByAnnotation));
}

TEST(QueuedJobs, ItsPodsPriorityClassIsThatOfItsWorkload) {
    using api::scheduling::PriorityClass;
    QueuedJobsWorld named;
    named.world.put<PriorityClass>("{metadata: {name: important}, value: 777}");
    named.put_job("priorityClassName: important, ");
    EXPECT_EQ(named.workload()->spec.priority, 777);
    EXPECT_NE(named.metrics.format().find("kueue_workload_creation_latency_seconds_count{job_kind=\"Job\"} 1"),
              std::string::npos);
    // Of two defaults the lower one, as pods get it.
    QueuedJobsWorld by_default;
    by_default.world.put<PriorityClass>("{metadata: {name: a}, value: 9, globalDefault: true}");
    by_default.world.put<PriorityClass>("{metadata: {name: b}, value: 5, globalDefault: true}");
    by_default.put_job();
    EXPECT_EQ(by_default.workload()->spec.priority, 5);
    // One that comes late is waited for.
    QueuedJobsWorld late;
    late.put_job("priorityClassName: important, ");
    EXPECT_FALSE(late.workload());
    late.world.put<PriorityClass>("{metadata: {name: important}, value: 777}");
    late.settle();
    ASSERT_TRUE(late.workload());
    EXPECT_EQ(late.workload()->spec.priority_class_ref->name, "important");
}

TEST(QueuedJobs, AnotherPriorityClassReachesAWorkloadThatRuns) {
    QueuedJobsWorld it;
    it.world.put<api::kueue::WorkloadPriorityClass>("{metadata: {name: low}, value: 1}");
    it.put_job();
    it.change_job([](Job& job) { job.metadata.labels.set(kn::kPriorityClassLabel, "high"); });
    EXPECT_EQ(it.workload()->spec.priority, 7);
    it.admit();
    it.change_job([](Job& job) { job.metadata.labels.set(kn::kPriorityClassLabel, "low"); });
    EXPECT_EQ(it.workload()->spec.priority, 1);
    EXPECT_TRUE(is_admitted(it.workload()->status));
    EXPECT_FALSE(api::batch::is_suspended(it.job().spec));
    // Another value of the class is for those that come later.
    it.world.put<api::kueue::WorkloadPriorityClass>("{metadata: {name: low}, value: 99}");
    it.settle();
    EXPECT_EQ(it.workload()->spec.priority, 1);
}

}  // namespace jobs_controller_test
}  // namespace muster::controllers
