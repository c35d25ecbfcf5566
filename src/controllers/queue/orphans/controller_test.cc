#include "controllers/queue/orphans/controller.h"

#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/workload_state.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace orphans_controller_test {

using api::batch::Job;
using api::core::Pod;
using api::kueue::Workload;

const char* const kFinalizer = "finalizers: [kueue.x-k8s.io/resource-in-use]";

// A Workload "w" that was a Job's and has lost its owner.
struct OrphansWorld {
    explicit OrphansWorld(const std::string& metadata = kFinalizer) {
        world.put<Workload>("{metadata: {name: w, namespace: ns, " + metadata +
                            "}, status: {admission: {clusterQueue: q}, conditions: [{type: QuotaReserved, status: "
                            "'True'}, {type: Admitted, status: 'True'}]}}");
    }
    void run() {
        if (!controller) controller.emplace(loop, world, metrics).start();
        loop.run_for(10s);
    }
    void put_pod(const char* phase) {
        const std::string started =
            "{metadata: {name: p, namespace: ns, labels: {kueue.x-k8s.io/podset: main}, annotations: "
            "{kueue.x-k8s.io/workload: w}}, spec: {nodeName: x}, status: {phase: ";
        world.put<Pod>(started + phase + "}}");
    }
    client::Ref<Workload> workload() const { return world.find<Workload>("ns", "w"); }
    bool finished() const { return is_finished(workload()->status); }

    os::VirtualLoop loop{Instant::from_unix_seconds(1704067200)};
    FakeWorld world{loop};
    client::Metrics metrics;
    std::optional<OrphanedWorkloads> controller;
};

TEST(OrphanedWorkload, IsFinishedAndReleased) {
    OrphansWorld it;
    it.run();
    ASSERT_TRUE(it.finished());
    const auto* condition = find_condition(it.workload()->status, "Finished");
    EXPECT_EQ(condition->reason, "OwnerNotFound");
    EXPECT_EQ(condition->message, "The workload's owner no longer exists");
    EXPECT_TRUE(it.workload()->metadata.finalizers.empty());
    it.world.remove_now<Workload>("ns", "w");
    EXPECT_FALSE(it.workload()) << "nothing holds it";
}

TEST(OrphanedWorkload, KeepsItsQuotaWhilePodsThatWereLeftBehindRun) {
    OrphansWorld it;
    it.put_pod("Running");
    it.run();
    EXPECT_FALSE(it.finished());
    it.world.remove_now<Workload>("ns", "w");
    it.run();
    ASSERT_TRUE(it.workload()) << "deleted, and waiting for its pods";
    ASSERT_FALSE(it.world.all<api::core::Event>().empty());
    EXPECT_EQ(it.world.all<api::core::Event>().back()->message,
              "1 pods still run with its quota; it is removed when they have ended");
    it.put_pod("Succeeded");
    it.run();
    EXPECT_FALSE(it.workload());
}

TEST(OrphanedWorkload, ThatIsEvictedHasItsPodsDeletedAndGivesItsQuotaBackWhenTheyHaveEnded) {
    OrphansWorld it;
    it.put_pod("Running");
    Workload evicted = *it.workload();
    set_condition(evicted.status, "Evicted", true, "Preempted", "made room for others", 1, it.loop.now());
    it.world.put(evicted);
    it.run();
    ASSERT_TRUE(it.world.find<Pod>("ns", "p")) << "its node has not confirmed the end";
    EXPECT_TRUE(it.world.find<Pod>("ns", "p")->metadata.deletion_timestamp);
    EXPECT_FALSE(it.finished());
    it.world.erase<Pod>("ns", "p");
    it.run();
    EXPECT_TRUE(it.finished());
}

TEST(OrphanedWorkload, IsLeftAlone) {
    struct Case {
        const char* name;
        std::string metadata;
        const char* job;
        const char* pod;
    };
    const char* const kNone = nullptr;
    const Case cases[] = {
        {"when it has had no owner yet", "labels: {a: b}", kNone, kNone},
        {"when it has an owner", std::string(kFinalizer) + ", ownerReferences: [{kind: Job, name: j, uid: u}]", kNone,
         kNone},
        {"when it is of a group", std::string(kFinalizer) + ", annotations: {kueue.x-k8s.io/is-group-workload: 'true'}",
         kNone, kNone},
        {"while a Job names it that is not being deleted", kFinalizer,
         "{metadata: {name: j, namespace: ns, labels: {kueue.x-k8s.io/prebuilt-workload-name: w}}}", kNone},
        {"while a queued pod names it", kFinalizer, kNone,
         "{metadata: {name: p, namespace: ns, labels: {kueue.x-k8s.io/prebuilt-workload-name: w, "
         "kueue.x-k8s.io/managed: 'true'}, annotations: {kueue.x-k8s.io/role-hash: x}}}"},
    };
    for (const Case& one : cases) {
        OrphansWorld it(one.metadata);
        if (one.job) it.world.put<Job>(one.job);
        if (one.pod) it.world.put<Pod>(one.pod);
        it.run();
        EXPECT_FALSE(it.finished()) << one.name;
        if (!one.job && !one.pod) continue;
        if (one.job) it.world.erase<Job>("ns", "j");
        if (one.pod) it.world.erase<Pod>("ns", "p");
        it.run();
        EXPECT_TRUE(it.finished()) << one.name << ", and no longer";
    }
}

TEST(OrphanedWorkload, IsReleasedWhateverCallFails) {
    for (const char* call : {"status workloads", "patch workloads"}) {
        OrphansWorld it;
        it.world.fail(call, Code::kUnavailable, 2);
        it.run();
        EXPECT_TRUE(it.finished()) << call;
        EXPECT_TRUE(it.workload()->metadata.finalizers.empty()) << call;
    }
}

}  // namespace orphans_controller_test
}  // namespace muster::controllers
