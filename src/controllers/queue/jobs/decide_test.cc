#include "controllers/queue/jobs/decide.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/kinds/job_state.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::jobqueue {
namespace jobs_decide_test {

namespace kn = api::kueue;
using api::batch::Job;
using api::kueue::Workload;
using Strings = std::vector<std::string>;

// A Job, its Workload, and what a plan does to them. The Job controller is played by stop_pods.
struct JobsTestWorld {
    explicit JobsTestWorld(const std::string& metadata = "",
                           const std::string& spec = "parallelism: 3, completions: 6") {
        job = api::from_yaml<Job>(
                  "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default, uid: u, "
                  "labels: {kueue.x-k8s.io/queue-name: q}" +
                  metadata + "}, spec: {" + spec +
                  ", template: {metadata: {labels: {controller-uid: u, app: a}}, spec: {nodeSelector: "
                  "{disk: ssd}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}")
                  .value();
        admit_job(job, JobSurroundings());
    }

    QueuedJobPlan decide() {
        const FindFlavor find_flavor = [this](const Text&) { return &flavor; };
        const FindPriority find_priority = [](const Text& name) -> std::optional<std::int32_t> {
            return name == "high" ? std::optional<std::int32_t>(7) : std::nullopt;
        };
        const FindPodPriority find_pod_priority = [this](const Text& name) -> std::optional<PodPriority> {
            if (name.empty()) return pod_default;
            return name == "important" ? std::optional<PodPriority>({name, 777}) : std::nullopt;
        };
        const QueuedJobView view{gone ? nullptr : &job,
                                 workload ? &*workload : nullptr,
                                 pods,
                                 find_flavor,
                                 find_priority,
                                 find_pod_priority,
                                 watch_readiness,
                                 nullptr,
                                 now,
                                 "muster.dev/job-controller"};
        return decide_queued_job(view);
    }
    int settle() {
        for (int step = 0; step < 10; ++step) {
            const QueuedJobPlan plan = decide();
            for (const QueuedJobNote& note : plan.notes) told.push_back(std::string(note.reason) + ": " + note.message);
            if (plan.does_nothing()) return step;
            if (plan.create) workload = *plan.create;
            if (plan.spec) workload->spec = *plan.spec;
            // Whatever is between two writes, the server would refuse more pods that are done than there are.
            if (plan.spec && !workload->status.reclaimable_pods.empty()) {
                EXPECT_LE(workload->status.reclaimable_pods[0].count, workload->spec.pod_sets[0].count);
            }
            if (plan.adopt) {
                api::meta::OwnerReference owner;
                owner.kind = "Job";
                owner.uid = job.metadata.uid;
                owner.controller = true;
                workload->metadata.owner_references.edit().push_back(owner);
            }
            if (plan.status) workload->status = *plan.status;
            if (plan.clear_start) job.status.start_time.reset();
            if (plan.job) job = *plan.job;
            if (plan.remove_workload) workload->metadata.deletion_timestamp = api::Time::from_instant(now);
            if (plan.release_workload) workload->metadata.finalizers = {};
            if (plan.release_workload && workload->metadata.deletion_timestamp) workload.reset();
        }
        return -1;
    }
    void admit(std::optional<std::int32_t> count = {}) {
        api::kueue::Admission admission;
        admission.cluster_queue = "cq";
        api::kueue::PodSetAssignment assignment;
        assignment.name = "main";
        assignment.count = count.value_or(workload->spec.pod_sets[0].count);
        assignment.flavors.set("cpu", "f");
        admission.pod_set_assignments.edit().push_back(std::move(assignment));
        workload->status.admission = std::move(admission);
        set_condition(workload->status, "QuotaReserved", true, "QuotaReserved", "", 1, now);
        set_condition(workload->status, "Admitted", true, "Admitted", "", 1, now);
    }
    void run_pods(int count) {
        job.status.start_time = api::Time::from_instant(now);
        job.status.active = count;
    }
    void stop_pods() {
        job.status.active = 0;
        job.status.start_time.reset();
    }
    void make_running() {
        settle();
        admit();
        settle();
        run_pods(3);
    }
    bool suspended() const { return api::batch::is_suspended(job.spec); }
    bool holds(const char* type) const { return is_true(workload->status, type); }

    Job job;
    std::optional<Workload> workload;
    std::vector<podqueue::PodRef> pods;
    api::kueue::ResourceFlavor flavor;
    PodPriority pod_default;
    bool gone = false;
    bool watch_readiness = false;
    Instant now = Instant::from_unix_seconds(1'000'000);
    Strings told;
};

TEST(QueuedJob, FieldsThatWeDoNotKnowAreInTheWorkloadAndStayInTheJob) {
    JobsTestWorld world;
    api::core::PodTemplateSpec& pods = world.job.spec.template_;
    pods.spec.residue.add(R"(,"unknown-1":1)");
    pods.spec.containers.edit()[0].residue.add(R"(,"unknown-2":2)");
    const Job before = world.job;
    world.settle();
    ASSERT_TRUE(world.workload);
    const api::core::PodSpec& queued = world.workload->spec.pod_sets[0].template_.spec;
    EXPECT_EQ(queued.residue.json(), R"(,"unknown-1":1)");
    EXPECT_EQ(queued.containers[0].residue.json(), R"(,"unknown-2":2)");
    world.admit();
    world.settle();
    EXPECT_FALSE(world.suspended());
    EXPECT_EQ(world.job.spec.template_.spec.residue, before.spec.template_.spec.residue);
    EXPECT_EQ(world.job.spec.template_.spec.containers, before.spec.template_.spec.containers);
}

TEST(QueuedJob, AWorkloadFromWhichTheServerDroppedThemStillFitsItsJob) {
    JobsTestWorld world;
    api::core::Toleration toleration{.key = "a"};
    toleration.residue.add(R"(,"unknown":1)");
    world.job.spec.template_.spec.tolerations = {toleration};
    world.settle();
    ASSERT_TRUE(world.workload);
    world.workload->spec.pod_sets.edit()[0].template_.spec.tolerations.edit()[0].residue = {};
    EXPECT_EQ(world.settle(), 0);
}

TEST(QueuedJob, IsSuspendedUntilItIsAdmittedAndStartsWithItsFlavor) {
    JobsTestWorld world;
    EXPECT_TRUE(world.suspended());
    EXPECT_EQ(world.settle(), 1);
    ASSERT_TRUE(world.workload);
    EXPECT_TRUE(world.workload->metadata.name.view().starts_with("job-j-"));
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 3);
    EXPECT_FALSE(world.workload->spec.pod_sets[0].template_.metadata.labels.contains("controller-uid"));
    EXPECT_TRUE(world.suspended());

    world.flavor.spec.node_labels.set("tier", "spot");
    world.admit();
    EXPECT_EQ(world.settle(), 1);
    EXPECT_FALSE(world.suspended());
    EXPECT_EQ(*world.job.spec.template_.spec.node_selector.find("tier"), "spot");
    EXPECT_EQ(*world.job.spec.template_.spec.node_selector.find("disk"), "ssd");
    EXPECT_EQ(world.told.back(), "Started: Admitted by clusterQueue cq");
}

TEST(QueuedJob, WhoseWorkloadHasLostItsOwnerOwnsItAgainUnlessItIsBeingDeleted) {
    JobsTestWorld it;
    it.make_running();
    it.workload->metadata.owner_references = {};
    EXPECT_EQ(it.settle(), 1);
    EXPECT_EQ(it.workload->metadata.owner_references.size(), 1u);
    EXPECT_FALSE(it.suspended());

    it.workload->metadata.owner_references = {};
    it.job.metadata.deletion_timestamp = api::Time::from_instant(it.now);
    EXPECT_EQ(it.settle(), 0) << "it is left behind";
    EXPECT_TRUE(it.decide().notes.empty());
}

TEST(QueuedJob, ThatWasInterruptedStandsStillUntilItIsTakenUp) {
    JobsTestWorld it;
    it.make_running();
    it.job.spec.suspend = true;
    it.job.metadata.annotations.set(api::batch::kInterruptedAnnotation, "true");
    it.stop_pods();
    EXPECT_EQ(it.settle(), 0);
    EXPECT_TRUE(it.suspended());
    EXPECT_TRUE(it.holds("Admitted")) << "its place is kept";
    it.job.metadata.annotations.erase(api::batch::kInterruptedAnnotation);
    it.settle();
    EXPECT_FALSE(it.suspended());
}

TEST(QueuedJob, IsStoppedAndRestoredOnEviction) {
    JobsTestWorld world;
    const api::core::PodTemplateSpec before = world.job.spec.template_;
    world.flavor.spec.node_labels.set("tier", "spot");
    world.make_running();
    set_condition(world.workload->status, "Evicted", true, "Preempted", "made room", 1, world.now);
    world.settle();
    EXPECT_TRUE(world.suspended());
    EXPECT_TRUE(world.holds("QuotaReserved")) << "its pods are still there";
    world.stop_pods();
    world.settle();
    EXPECT_EQ(world.job.spec.template_, before);
    EXPECT_FALSE(world.holds("QuotaReserved"));
    EXPECT_FALSE(world.holds("Admitted"));
    EXPECT_TRUE(world.holds("Requeued"));
    EXPECT_FALSE(world.job.metadata.annotations.contains(kn::kStoppingAnnotation));
}

// Job controllers up to Kubernetes 1.35.
TEST(QueuedJob, IsRestoredBesideAJobControllerThatKeepsTheStartTime) {
    JobsTestWorld world;
    const api::core::PodTemplateSpec before = world.job.spec.template_;
    world.flavor.spec.node_labels.set("tier", "spot");
    world.make_running();
    set_condition(world.workload->status, "Evicted", true, "Preempted", "made room", 1, world.now);
    world.settle();
    ASSERT_TRUE(world.suspended());
    world.job.status.active = 0;
    world.settle();
    EXPECT_TRUE(world.job.status.start_time) << "the controller that takes it away has not said yet that it stopped";
    api::batch::JobCondition suspended;
    suspended.type = "Suspended";
    suspended.status = "True";
    world.job.status.conditions = {suspended};
    world.settle();
    EXPECT_FALSE(world.job.status.start_time);
    EXPECT_EQ(world.job.spec.template_, before);
    EXPECT_FALSE(world.holds("QuotaReserved"));
    EXPECT_FALSE(world.job.metadata.annotations.contains(kn::kStoppingAnnotation));
}

TEST(QueuedJob, IsNotStoppedBeforeItsStatusSaysThatItRuns) {
    JobsTestWorld world;
    world.job.status =
        api::from_yaml<api::batch::JobStatus>("{conditions: [{type: Suspended, status: 'True'}]}").value();
    world.settle();
    world.admit();
    world.settle();
    set_condition(world.workload->status, "Evicted", true, "Preempted", "made room", 1, world.now);
    EXPECT_EQ(world.settle(), 0) << "it may have pods that its status does not count yet";
    EXPECT_FALSE(world.suspended());
    world.run_pods(3);
    EXPECT_EQ(world.settle(), 0) << "a start that is told beside Suspended is an older one";
    world.job.status.conditions.edit()[0].status = "False";
    world.settle();
    EXPECT_TRUE(world.suspended());

    JobsTestWorld other("", "parallelism: 3, managedBy: example.com/controller");
    other.settle();
    other.admit();
    other.settle();
    set_condition(other.workload->status, "Evicted", true, "Preempted", "made room", 1, other.now);
    other.settle();
    EXPECT_TRUE(other.suspended()) << "a controller of another's Jobs need not write the condition";

    JobsTestWorld ours("", "parallelism: 3, managedBy: muster.dev/job-controller");
    ours.settle();
    ours.admit();
    ours.settle();
    set_condition(ours.workload->status, "Evicted", true, "Preempted", "made room", 1, ours.now);
    ours.settle();
    EXPECT_FALSE(ours.suspended()) << "our own controller does";
}

TEST(QueuedJob, ThatIsEvictedKeepsItsQuotaWhileAPodRunsWhateverItsStatusSays) {
    JobsTestWorld world;
    world.make_running();
    set_condition(world.workload->status, "Evicted", true, "Preempted", "made room", 1, world.now);
    world.pods = {std::make_shared<api::core::Pod>(
        api::from_yaml<api::core::Pod>("{metadata: {name: p, namespace: default, uid: p}, spec: {nodeName: node}, "
                                       "status: {phase: Running}}")
            .value())};
    world.settle();
    world.stop_pods();
    world.settle();
    EXPECT_TRUE(world.holds("QuotaReserved"));
    world.pods.clear();
    world.settle();
    EXPECT_FALSE(world.holds("QuotaReserved"));
}

TEST(QueuedJob, RunsWithFewerPodsWhenItSaysThatTheyDo) {
    JobsTestWorld world(", annotations: {kueue.x-k8s.io/job-min-parallelism: '1'}");
    world.settle();
    EXPECT_EQ(world.workload->spec.pod_sets[0].min_count, 1);
    world.admit(2);
    world.settle();
    EXPECT_EQ(world.job.spec.parallelism, 2);
    world.run_pods(2);
    EXPECT_EQ(world.settle(), 0) << "that is no drift";
    set_condition(world.workload->status, "Evicted", true, "Preempted", "", 1, world.now);
    world.settle();
    world.stop_pods();
    world.settle();
    EXPECT_EQ(world.job.spec.parallelism, 3);
}

TEST(QueuedJob, HasAsManyCompletionsAsLeaveTheAdmittedPodsToRun) {
    struct Case {
        const char* name;
        const char* status;
        int admitted;
        int completions;
    };
    const Case cases[] = {
        {"nothing is done, all are admitted", "{}", 5, 5},
        {"nothing is done, some are admitted", "{}", 2, 2},
        {"the rest is admitted", "{completedIndexes: '0'}", 4, 5},
        {"a part of the rest is admitted", "{completedIndexes: '0'}", 2, 3},
        {"an index that failed for good is done", "{completedIndexes: '0', failedIndexes: '1'}", 2, 4},
        {"indexes that are done follow those that run", "{completedIndexes: '1-3'}", 1, 4},
        {"indexes beyond what is admitted do not count", "{completedIndexes: '4'}", 2, 2},
        {"more is admitted than is left", "{completedIndexes: '0-3'}", 3, 5},
        {"any number is admitted", "{completedIndexes: '0-3'}", 2147483647, 5},
        {"a number below zero is admitted", "{completedIndexes: '0,2'}", -2147483648, 1},
    };
    for (const Case& one : cases) {
        JobsTestWorld world("", "parallelism: 5, completions: 5, completionMode: Indexed");
        world.job.status = api::from_yaml<api::batch::JobStatus>(one.status).value();
        EXPECT_EQ(completions_for(world.job, one.admitted, 5), one.completions) << one.name;
    }
}

TEST(QueuedJob, ThatStartsAgainKeepsTheIndexesThatAreDone) {
    JobsTestWorld world(
        ", annotations: {kueue.x-k8s.io/job-min-parallelism: '1', "
        "kueue.x-k8s.io/job-completions-equal-parallelism: 'true'}",
        "parallelism: 4, completions: 4, completionMode: Indexed");
    world.job.status.completed_indexes = "0";
    world.job.status.succeeded = 1;
    world.settle();
    ASSERT_EQ(world.workload->status.reclaimable_pods[0].count, 1);
    world.admit(3);
    world.settle();
    EXPECT_EQ(world.job.spec.parallelism, 4);
    EXPECT_EQ(world.job.spec.completions, 4);
    world.run_pods(3);
    EXPECT_EQ(world.settle(), 0) << "that is no drift";
}

TEST(QueuedJob, GivesQuotaBackAsItsIndexesFinish) {
    struct Case {
        const char* name;
        const char* spec;
        const char* status;
        int reclaimable;
    };
    const Case cases[] = {
        {"nothing is done", "parallelism: 3, completions: 6", "{}", 0},
        {"what is left fills all places", "parallelism: 3, completions: 6", "{succeeded: 3}", 0},
        {"less is left than may run", "parallelism: 3, completions: 6", "{succeeded: 5}", 2},
        {"all are done", "parallelism: 3, completions: 6", "{succeeded: 6}", 3},
        {"no more run than have to complete", "parallelism: 3, completions: 2", "{succeeded: 1}", 1},
        {"a single pod has nothing to give", "parallelism: 1, completions: 2", "{succeeded: 2}", 0},
        {"without completions each success counts", "parallelism: 3", "{succeeded: 1}", 1},
        {"of indexes those that failed for good as well", "parallelism: 3, completions: 4, completionMode: Indexed",
         "{succeeded: 2, completedIndexes: '0,2', failedIndexes: '3'}", 2},
        {"what was scaled away does not count", "parallelism: 3, completions: 3, completionMode: Indexed",
         "{succeeded: 2, completedIndexes: '0,7'}", 1},
    };
    for (const Case& one : cases) {
        JobsTestWorld world("", one.spec);
        world.job.status = api::from_yaml<api::batch::JobStatus>(one.status).value();
        EXPECT_EQ(reclaimable_pods(world.job, pod_count(world.job.spec)), one.reclaimable) << one.name;
    }
    JobsTestWorld part("", "parallelism: 4, completions: 10");
    part.job.status.succeeded = 9;
    EXPECT_EQ(reclaimable_pods(part.job, 10), 9) << "of a set that was admitted in part, all but what is left to do";
    JobsTestWorld world;
    world.make_running();
    world.job.status.succeeded = 5;
    world.settle();
    ASSERT_EQ(world.workload->status.reclaimable_pods.size(), 1u);
    EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, 2);
}

TEST(QueuedJob, ThatIsMadeSmallerWhileItWaitsGivesBackNoMoreThanItAsksFor) {
    for (const std::int32_t smaller : {2, 1, 0}) {
        JobsTestWorld world;
        world.make_running();
        world.job.status.succeeded = 5;
        world.settle();
        set_condition(world.workload->status, "Evicted", true, "Preempted", "made room for others", 1, world.now);
        world.settle();
        EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, 2) << "while quota is held nothing is taken again";
        world.stop_pods();
        world.settle();
        ASSERT_FALSE(has_reservation(world.workload->status));
        world.job.spec.parallelism = smaller;
        world.settle();
        EXPECT_EQ(world.workload->spec.pod_sets[0].count, smaller);
        EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, std::max(0, smaller - 1))
            << "one is left to run, and needs quota";
    }
}

TEST(QueuedJob, TellsOfItsEnd) {
    for (const char* type : {"Complete", "Failed"}) {
        JobsTestWorld world;
        world.make_running();
        api::batch::JobCondition condition;
        condition.type = type;
        condition.status = "True";
        world.job.status.conditions.edit().push_back(condition);
        world.settle();
        EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason,
                  std::string_view(type) == "Complete" ? "Succeeded" : "Failed");
    }
    JobsTestWorld world;
    world.settle();
    world.gone = true;
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
    EXPECT_FALSE(is_in_use(*world.workload)) << "it can be deleted";
}

TEST(QueuedJob, DoesNotRunWithoutLeave) {
    JobsTestWorld world;
    world.settle();
    world.job.spec.suspend = false;
    world.settle();
    EXPECT_TRUE(world.suspended());
    JobsTestWorld bare;
    bare.job.spec.suspend = false;
    bare.settle();
    EXPECT_TRUE(bare.suspended());
    EXPECT_TRUE(bare.workload);
}

TEST(QueuedJob, ChangedWhileItWaitsChangesItsWorkload) {
    JobsTestWorld world;
    world.settle();
    world.job.spec.parallelism = 2;
    world.job.metadata.labels.set(kn::kQueueNameLabel, "other");
    world.job.metadata.labels.set(kn::kPriorityClassLabel, "high");
    world.settle();
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 2);
    EXPECT_EQ(world.workload->spec.queue_name, "other");
    EXPECT_EQ(world.workload->spec.priority, 7);
}

TEST(QueuedJob, HasThePriorityOfItsPodsWhenItNamesNoClassOfItsOwn) {
    const auto made = [](const char* of_pods, const char* of_workload, bool with_default) {
        JobsTestWorld world;
        world.job.spec.template_.spec.priority_class_name = of_pods;
        if (*of_workload) world.job.metadata.labels.set(kn::kPriorityClassLabel, of_workload);
        if (with_default) world.pod_default = {"usual", 5};
        world.settle();
        if (!world.workload) return world.told.front();
        const auto& reference = world.workload->spec.priority_class_ref;
        return std::to_string(world.workload->spec.priority.value_or(-1)) +
               (reference ? ' ' + reference->kind.str() + ' ' + reference->name.str() : "");
    };
    EXPECT_EQ(made("", "", false), "0");
    EXPECT_EQ(made("", "", true), "5 PriorityClass usual");
    EXPECT_EQ(made("important", "", true), "777 PriorityClass important");
    EXPECT_EQ(made("important", "high", true), "7 WorkloadPriorityClass high");
    EXPECT_EQ(made("none", "", true), "PriorityClassNotFound: there is no PriorityClass \"none\"");
}

TEST(QueuedJob, ChangedWhileItRunsQueuesAgain) {
    JobsTestWorld world;
    world.make_running();
    world.job.spec.parallelism = 5;
    world.settle();
    EXPECT_TRUE(world.suspended());
    world.stop_pods();
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_FALSE(world.workload->metadata.deletion_timestamp) << "a new one";
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 5);
    EXPECT_FALSE(world.holds("Admitted"));
}

TEST(QueuedJob, MadeLargerWhileItRunsIsSuspendedInTheSameWriteAndQueuesAgain) {
    JobsTestWorld world;
    world.make_running();
    const Job before = world.job;
    world.job.spec.parallelism = 5;
    EXPECT_TRUE(suspend_larger(world.job, before));
    EXPECT_TRUE(world.suspended());
    EXPECT_EQ(world.settle(), 0) << "its pods are still there";
    world.stop_pods();
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.job.spec.template_.spec.node_selector.size(), 1u) << "its template is as it was";
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 5);
    EXPECT_FALSE(world.holds("Admitted"));
    world.admit();
    world.settle();
    EXPECT_FALSE(world.suspended());
    EXPECT_EQ(world.job.spec.parallelism, 5);
}

TEST(QueuedJob, IsSuspendedByAnUpdateOnlyWhenMorePodsWouldRun) {
    struct Case {
        const char* name;
        const char* before;
        const char* now;
        bool suspended;
    };
    const Case cases[] = {
        {"more parallelism", "parallelism: 2, completions: 6", "parallelism: 3, completions: 6", true},
        {"more parallelism than there is left to complete", "parallelism: 2, completions: 2",
         "parallelism: 3, completions: 2", false},
        {"more completions, of which more run at once", "parallelism: 4, completions: 2",
         "parallelism: 4, completions: 4", true},
        {"more completions, of which no more run at once", "parallelism: 2, completions: 6",
         "parallelism: 2, completions: 8", false},
        {"less parallelism", "parallelism: 3, completions: 6", "parallelism: 2, completions: 6", false},
        {"from none", "parallelism: 0, completions: 6", "parallelism: 1, completions: 6", true},
        {"a Job that waits", "suspend: true, parallelism: 2", "suspend: true, parallelism: 3", false},
        {"a user suspends it in the same write", "parallelism: 2", "suspend: true, parallelism: 3", false},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const auto before = api::from_yaml<Job>(std::string("{spec: {") + one.before + "}}").value();
        auto now = api::from_yaml<Job>(std::string("{spec: {") + one.now + "}}").value();
        EXPECT_EQ(suspend_larger(now, before), one.suspended);
        EXPECT_EQ(now.metadata.annotations.contains("kueue.x-k8s.io/stopping"), one.suspended);
    }
    auto now = api::from_yaml<Job>("{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {parallelism: 3}}");
    EXPECT_FALSE(suspend_larger(*now, api::from_yaml<Job>("{spec: {parallelism: 2}}").value())) << "it is deleted";
}

TEST(QueuedJob, StopsWhenItsWorkloadIsDeleted) {
    JobsTestWorld world;
    world.make_running();
    world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.settle();
    EXPECT_TRUE(world.suspended());
    ASSERT_TRUE(world.workload) << "until nothing of it runs";
    world.stop_pods();
    world.settle();
    EXPECT_FALSE(world.workload->metadata.deletion_timestamp);
    EXPECT_FALSE(world.holds("QuotaReserved"));
}

TEST(QueuedJob, WhosePodsAreStillTerminatingKeepsTheirQuota) {
    JobsTestWorld world;
    world.make_running();
    world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.settle();
    world.stop_pods();
    world.job.status.terminating = 3;
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_TRUE(world.workload->metadata.deletion_timestamp);
    EXPECT_TRUE(world.holds("QuotaReserved"));
    world.job.status.terminating = 0;
    world.settle();
    EXPECT_FALSE(world.workload->metadata.deletion_timestamp) << "a new one";
}

podqueue::PodRef terminating_pod(Instant since) {
    api::core::Pod pod;
    pod.metadata.deletion_timestamp = api::Time::from_instant(since);
    pod.spec.node_name = "n";
    pod.status.phase = "Running";
    return std::make_shared<const api::core::Pod>(std::move(pod));
}

TEST(QueuedJob, ThatIsGoneKeepsTheQuotaOfPodsThatStillRun) {
    for (const bool workload_goes : {false, true}) {
        JobsTestWorld world;
        world.make_running();
        world.pods = {terminating_pod(world.now)};
        world.gone = true;
        if (workload_goes) world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
        EXPECT_EQ(world.settle(), 0) << workload_goes;
        EXPECT_TRUE(world.holds("QuotaReserved"));
        world.pods.clear();
        world.settle();
        EXPECT_EQ(world.workload.has_value(), !workload_goes);
        if (world.workload) {
            EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
        }
    }
}

TEST(QueuedJob, ThatIsBeingDeletedKeepsTheQuotaOfPodsThatStillRun) {
    JobsTestWorld world;
    world.make_running();
    world.pods = {terminating_pod(world.now)};
    world.job.metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.settle();
    EXPECT_TRUE(world.workload);
    world.pods.clear();
    world.settle();
    EXPECT_FALSE(world.workload);
}

TEST(QueuedJob, ThatIsGoneDoesNotWaitForEverForANode) {
    JobsTestWorld world;
    world.make_running();
    world.pods = {terminating_pod(world.now)};
    world.gone = true;
    const QueuedJobPlan plan = world.decide();
    ASSERT_TRUE(plan.wake_at);
    world.now = *plan.wake_at;
    world.settle();
    EXPECT_TRUE(world.holds("Finished"));
}

TEST(QueuedJob, TakesTheWorkloadThatWasMadeForIt) {
    JobsTestWorld world;
    const QueuedJobPlan plan = world.decide();
    JobsTestWorld named(", annotations: {kueue.x-k8s.io/prebuilt-workload-name: w}");
    named.settle();
    EXPECT_TRUE(named.told[0].starts_with("PrebuiltWorkloadNotFound: "));
    named.workload = *plan.create;
    named.workload->metadata.owner_references.reset();
    named.settle();
    EXPECT_EQ(named.workload->metadata.owner_references.size(), 1u);
    named.admit();
    named.settle();
    EXPECT_FALSE(named.suspended());

    JobsTestWorld other(", annotations: {kueue.x-k8s.io/prebuilt-workload-name: w}", "parallelism: 1");
    other.workload = *plan.create;
    other.workload->metadata.owner_references.reset();
    other.settle();
    EXPECT_EQ(find_condition(other.workload->status, "Finished")->reason, "OutOfSync");
}

TEST(QueuedJob, DoesNotTakeAForeignWorkload) {
    JobsTestWorld world;
    world.workload = Workload();
    api::meta::OwnerReference owner;
    owner.uid = "other";
    owner.controller = true;
    world.workload->metadata.owner_references.edit().push_back(owner);
    EXPECT_EQ(world.settle(), 0);
    EXPECT_TRUE(world.told[0].starts_with("WorkloadNameConflict: "));
}

TEST(QueuedJob, WithoutAQueueHasAWorkloadThatFollowsItToOne) {
    JobsTestWorld world;
    world.job.metadata.labels.erase(kn::kQueueNameLabel);
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.workload->spec.queue_name, "");
    world.job.metadata.labels.set(kn::kQueueNameLabel, "q");
    world.settle();
    EXPECT_EQ(world.workload->spec.queue_name, "q");
}

TEST(QueuedJob, StatesEachVariableOnceInItsWorkload) {
    JobsTestWorld world;
    world.job.spec.template_.spec.containers.edit()[0].env =
        api::from_yaml<api::core::Container>(
            "{name: c, env: [{name: A, value: first}, {name: B, value: b}, {name: A, value: last}]}")
            .value()
            .env;
    world.settle();
    const auto& env = world.workload->spec.pod_sets[0].template_.spec.containers[0].env;
    ASSERT_EQ(env.size(), 2u);
    EXPECT_EQ(env[0].name.str() + "=" + env[0].value.str(), "A=last");
    EXPECT_EQ(env[1].name, "B");
    EXPECT_EQ(world.settle(), 0) << "that is no drift";
}

TEST(QueuedJob, ThatHasFinishedHoldsItsWorkloadNoLonger) {
    JobsTestWorld world;
    world.make_running();
    EXPECT_TRUE(is_in_use(*world.workload));
    api::batch::JobCondition condition;
    condition.type = "Complete";
    condition.status = "True";
    world.job.status.conditions.edit().push_back(condition);
    EXPECT_FALSE(world.decide().release_workload) << "its end is stored first";
    set_condition(world.workload->status, "Finished", true, "Succeeded", "", 1, world.now);
    EXPECT_TRUE(world.decide().release_workload);
    world.gone = true;
    EXPECT_TRUE(world.decide().release_workload);
}

TEST(QueuedJob, WhoseLabelsConflictWithAnAdmissionCheckFailsToStart) {
    struct Case {
        const char* update;
        const char* message;
    };
    const Case cases[] = {
        {"{name: main, labels: {app: b}}", "label app is \"a\" already, and admission asks for \"b\""},
        {"{name: main, annotations: {note: b}}", "annotation note is \"a\" already, and admission asks for \"b\""},
        {"{name: main, nodeSelector: {disk: b}}", "node label disk is \"ssd\" already, and admission asks for \"b\""},
    };
    for (const Case& one : cases) {
        JobsTestWorld world;
        world.job.spec.template_.metadata.annotations.set("note", "a");
        // From a start before this one.
        world.job.spec.template_.metadata.labels.set(kn::kClusterQueueNameLabel, "former");
        world.settle();
        world.admit();
        api::kueue::AdmissionCheckState check;
        check.pod_set_updates.edit().push_back(api::from_yaml<api::kueue::PodSetUpdate>(one.update).value());
        world.workload->status.admission_checks.edit().push_back(check);
        world.settle();
        EXPECT_TRUE(world.suspended()) << one.update;
        EXPECT_EQ(world.told.back(), std::string("FailedToStart: ") + one.message);
    }
}

TEST(QueuedJob, WithoutItsClassWaitsAndSaysSo) {
    JobsTestWorld classless;
    classless.job.metadata.labels.set(kn::kPriorityClassLabel, "nope");
    EXPECT_EQ(classless.settle(), 0);
    EXPECT_EQ(classless.told, Strings{"WorkloadPriorityClassNotFound: there is no WorkloadPriorityClass \"nope\""});
}

TEST(QueuedJob, SaysWhenItsPodsAreReady) {
    JobsTestWorld world;
    world.watch_readiness = true;
    world.make_running();
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "PodsReady")->reason, "WaitForStart");
    world.job.status.ready = 2;
    world.job.status.succeeded = 1;
    world.settle();
    EXPECT_TRUE(world.holds("PodsReady"));
}

TEST(QueuedJob, IsReadyWithTheHighestNumbersOfPods) {
    JobsTestWorld world;
    world.watch_readiness = true;
    world.make_running();
    world.job.status.ready = 2147483647;
    world.job.status.succeeded = 2147483647;
    world.settle();
    EXPECT_TRUE(world.holds("PodsReady"));
}

TEST(JobGate, IsForJobsWithAQueueInScope) {
    JobsTestWorld world;
    QueueConfiguration configuration;
    JobSurroundings around;
    EXPECT_TRUE(is_subject(world.job, configuration, around));
    around.managed_owner = true;
    EXPECT_FALSE(is_subject(world.job, configuration, around));
    around = {};
    Job bare = world.job;
    bare.metadata.labels.erase(kn::kQueueNameLabel);
    EXPECT_FALSE(is_subject(bare, configuration, around));
    around.default_queue = true;
    EXPECT_TRUE(is_subject(bare, configuration, around));
    around = {};
    configuration.manage_jobs_without_queue_name = true;
    EXPECT_TRUE(is_subject(bare, configuration, around));
    bare.metadata.namespace_ = "kube-system";
    EXPECT_FALSE(is_subject(bare, configuration, around));
    configuration.jobs = false;
    EXPECT_FALSE(is_subject(world.job, configuration, around));
}

TEST(JobGate, RefusesWhatItCannotQueue) {
    struct Case {
        const char* name;
        const char* metadata;
        const char* field;
    };
    const Case cases[] = {
        {"as many as there are", "kueue.x-k8s.io/job-min-parallelism: '3'",
         "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]"},
        {"no number", "kueue.x-k8s.io/job-min-parallelism: few",
         "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]"},
        {"not indexed", "kueue.x-k8s.io/job-completions-equal-parallelism: 'true'",
         "metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]"},
        {"elastic", "kueue.x-k8s.io/elastic-job: 'true'", "metadata.annotations[kueue.x-k8s.io/elastic-job]"},
    };
    for (const Case& one : cases) {
        JobsTestWorld world(std::string(", annotations: {") + one.metadata + "}");
        const api::FieldErrors errors = check_job(world.job);
        ASSERT_FALSE(errors.empty()) << one.name;
        EXPECT_EQ(errors.causes()[0].field, one.field) << one.name;
    }
    EXPECT_TRUE(check_job(JobsTestWorld().job).empty());
}

TEST(JobGate, KeepsThePlaceInTheQueueWhileTheJobRuns) {
    JobsTestWorld world;
    Job running = world.job;
    running.spec.suspend = false;
    Job moved = world.job;
    moved.metadata.labels.set(kn::kQueueNameLabel, "other");
    EXPECT_TRUE(check_job_update(moved, world.job, JobSurroundings()).empty());
    moved.spec.suspend = false;
    const api::FieldErrors errors = check_job_update(moved, running, JobSurroundings());
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors.causes()[0].field, "metadata.labels[kueue.x-k8s.io/queue-name]");
}

}  // namespace jobs_decide_test
}  // namespace muster::controllers::jobqueue
