#include "controllers/queue/pods/decide.h"

#include <gtest/gtest.h>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace pods_decide_test {

namespace kn = api::kueue;

TEST(PodGroup, MakesItsWorkloadWhenItIsWhole) {
    PodsTestWorld world;
    world.add("driver", 3, "1m");
    world.add("worker-0", 3);
    EXPECT_EQ(world.settle(), 0);
    EXPECT_FALSE(world.workload);
    EXPECT_TRUE(world.told.empty());
    world.now = world.now + 10s;
    world.settle();
    EXPECT_EQ(world.told, Strings{"WaitingForPods: The group g has 2 of 3 pods; it waits for the others"});
    world.add("worker-1", 3);
    EXPECT_EQ(world.settle(), 1);
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.workload->metadata.name, "g");
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 3u);
    ASSERT_EQ(world.workload->spec.pod_sets.size(), 2u);
    std::map<std::string, int> counts;
    for (const auto& set : world.workload->spec.pod_sets)
        counts[set.template_.spec.containers[0].resources.requests.find("cpu")->text()] = set.count;
    EXPECT_EQ(counts, (std::map<std::string, int>{{"1", 2}, {"1m", 1}}));
}

TEST(PodGroup, RolesComeFromShapesAndNotFromAnnotations) {
    PodsTestWorld world;
    world.add("small", 2, "1m");
    const Text small = *world.pods["small"].metadata.annotations.find(kn::kRoleHashAnnotation);
    world.add("large", 2, "64").metadata.annotations.set(kn::kRoleHashAnnotation, small);
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.workload->spec.pod_sets.size(), 2u);
}

TEST(PodGroup, DeletesTheYoungestOfTooManyBeforeAdmission) {
    PodsTestWorld world;
    world.add("old-b", 2);
    world.add("old-a", 2);
    world.now = world.now + 5s;
    world.add("a-young", 2);
    world.settle();
    EXPECT_EQ(world.names(), (Strings{"old-a", "old-b"}));
    EXPECT_EQ(world.rejected, Strings{"a-young"});
    EXPECT_TRUE(world.workload);
}

TEST(PodGroup, DeletesTheYoungestOfTooManyOfARoleAfterAdmission) {
    PodsTestWorld world;
    world.make_running(2);
    world.now = world.now + 5s;
    world.add("late", 2);
    world.settle();
    EXPECT_EQ(world.rejected, Strings{"late"});
    EXPECT_EQ(world.started(), (Strings{"p0", "p1"}));
}

TEST(PodGroup, SaysWhichCountsDisagree) {
    PodsTestWorld world;
    world.add("a", 2);
    world.add("b", 3);
    EXPECT_EQ(world.settle(), 0);
    EXPECT_FALSE(world.workload);
    EXPECT_EQ(world.told, Strings{"ErrWorkloadCompose: kueue.x-k8s.io/pod-group-total-count is \"3\" here and \"2\" in "
                                  "pod a of the same group"});
}

TEST(PodGroup, OfTooManyShapesIsRefused) {
    PodsTestWorld world;
    for (int i = 0; i < 19; ++i) world.add("p" + std::to_string(i), 19, std::to_string(i + 1).c_str());
    world.settle();
    EXPECT_FALSE(world.workload);
    EXPECT_EQ(world.told, Strings{"ErrWorkloadCompose: The group g has pods of 19 different shapes; at most 18 are "
                                  "allowed"});
}

TEST(PodGroup, WithAnUnknownPriorityClassSaysSo) {
    PodsTestWorld world;
    world.add("a", 1).metadata.labels.set(kn::kPriorityClassLabel, "nope");
    world.settle();
    EXPECT_EQ(world.told, Strings{"WorkloadPriorityClassNotFound: there is no WorkloadPriorityClass \"nope\""});
    world.pods["a"].metadata.labels.set(kn::kPriorityClassLabel, "high");
    world.settle();
    EXPECT_EQ(world.workload->spec.priority, 1000);
}

TEST(PodGroup, FinishesWhenAllHaveSucceededAndGivesQuotaBackBefore) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.settle();
    ASSERT_EQ(world.workload->status.reclaimable_pods.size(), 1u);
    EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, 1);
    EXPECT_FALSE(holds(world, "Finished"));
    EXPECT_EQ(world.held(), (Strings{"p0", "p1"}));
    world.end("p1", "Succeeded");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->message, "Pods succeeded: 2/2.");
    EXPECT_TRUE(world.held().empty());
    EXPECT_EQ(world.names(), (Strings{"p0", "p1"})) << "what has ended is not deleted";
}

TEST(PodGroup, ThatGivesBackMoreLeavesAloneWhatOthersHoldOfItsWorkload) {
    PodsTestWorld world;
    world.make_running(3);
    world.end("p0", "Succeeded");
    world.settle();
    const api::kueue::Workload held = *world.workload;  // as a mirror or the store has it
    world.end("p1", "Succeeded");
    world.settle();
    EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, 2);
    EXPECT_EQ(held.status.reclaimable_pods[0].count, 1);
}

TEST(PodGroup, ThatIsEvictedIsFinishedWhenItsOwnerDeletesWhatIsLeftOfIt) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.settle();
    world.evict();
    world.settle();
    // While quota is held, reclaimablePods does not shrink, and the succeeded pod is kept.
    world.remove("p0");
    world.settle();
    ASSERT_EQ(world.workload->status.reclaimable_pods[0].count, 1);
    EXPECT_TRUE(world.pods.contains("p0"));
    world.end("p1", "Failed");
    world.settle();
    EXPECT_FALSE(has_reservation(world.workload->status));
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
    EXPECT_TRUE(world.pods.empty());
}

TEST(PodGroup, ThatRestartsWithOtherShapesReportsNoReclaimablePodsOfRemovedSets) {
    PodsTestWorld world;
    world.add("large", 2, "2");
    world.add("small", 2);
    world.settle();
    world.admit();
    world.settle();
    world.run_all();
    world.end("large", "Succeeded");
    world.settle();
    ASSERT_EQ(world.workload->status.reclaimable_pods.size(), 1u);
    world.evict();
    world.settle();
    world.add("a", 2);
    world.add("b", 2);
    world.end("small", "Failed");
    world.settle();
    ASSERT_FALSE(has_reservation(world.workload->status));
    EXPECT_EQ(world.workload->status.reclaimable_pods.size(), 1u);
    world.pods.erase("large");  // a user removed its finalizer
    world.settle();
    ASSERT_EQ(world.workload->spec.pod_sets.size(), 1u);
    EXPECT_TRUE(world.workload->status.reclaimable_pods.empty());
    EXPECT_EQ(world.misfits, Strings()) << "whatever is between two writes";
}

TEST(PodGroup, ThatHasFinishedLeavesNoPodWaiting) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.settle();
    world.add("late", 2);
    world.end("p1", "Succeeded");
    world.settle();
    EXPECT_TRUE(holds(world, "Finished"));
    EXPECT_EQ(world.names(), (Strings{"p0", "p1"}));
    // It came in time to own the Workload, and was not needed in the end.
    world.add("owner", 2);
    world.workload->metadata.owner_references.edit().push_back(owner_reference(world.pods["owner"], false));
    world.settle();
    EXPECT_EQ(world.names(), (Strings{"p0", "p1"}));
}

TEST(PodGroup, ReplacesThePodsThatFailedFirstOnTheSameQuota) {
    PodsTestWorld world;
    world.make_running(3);
    world.end("p2", "Failed");
    world.now = world.now + 5s;
    world.end("p0", "Failed");
    world.settle();
    EXPECT_EQ(world.held(), (Strings{"p0", "p1", "p2"})) << "until it is replaced";
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    EXPECT_TRUE(holds(world, "Admitted"));
    world.now = world.now + 5s;
    world.add("r0", 3);
    const GroupPlan plan = world.decide();
    ASSERT_EQ(plan.add_owners.size(), 1u) << "it owns the Workload before the old one goes";
    EXPECT_EQ(plan.add_owners[0].name, "r0");
    world.carry_out(plan);
    world.settle();
    EXPECT_EQ(world.held(), (Strings{"p0", "p1", "r0"}));
    EXPECT_EQ(world.started(), (Strings{"p0", "p1", "p2", "r0"})) << "let through at once";
    EXPECT_TRUE(world.rejected.empty());
}

TEST(PodGroup, DoesNotKillAReplacementWhileTheOldPodIsTerminating) {
    PodsTestWorld world;
    world.make_running(2);
    world.remove("p0");  // its node takes its time
    world.settle();
    world.add("p0-again", 2);
    world.settle();
    EXPECT_TRUE(world.rejected.empty());
    EXPECT_EQ(world.started(), (Strings{"p0", "p1"})) << "there is no quota for both";
    world.end("p0", "Failed");
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"p0-again", "p1"}));
    EXPECT_EQ(world.names(), (Strings{"p0-again", "p1"})) << "deleting does not hang";
}

TEST(PodGroup, ThatMayNotBeRetriedFinishesWhenNothingRuns) {
    PodsTestWorld world;
    world.make_running(2);
    world.pods["p0"].metadata.annotations.set(kn::kRetriableInGroupAnnotation, "false");
    world.end("p0", "Failed");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished"));
    world.end("p1", "Succeeded");
    world.settle();
    EXPECT_TRUE(holds(world, "Finished"));
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "Failed");
    EXPECT_TRUE(world.held().empty());
}

TEST(PodGroup, StopsOnEvictionAndReleasesWhatHasFailed) {
    PodsTestWorld world;
    world.make_running(3);
    world.end("p2", "Failed");
    world.evict();
    const GroupPlan plan = world.decide();
    EXPECT_EQ(plan.remove.size(), 2u);
    EXPECT_EQ(plan.remove[0].reason, "Preempted");
    world.carry_out(plan);
    world.settle();
    EXPECT_TRUE(holds(world, "QuotaReserved")) << "two still run";
    world.end("p0", "Failed");
    world.end("p1", "Succeeded");  // it may well end with 0 when it is told to stop
    world.settle();
    EXPECT_FALSE(holds(world, "QuotaReserved"));
    EXPECT_FALSE(holds(world, "Admitted"));
    EXPECT_FALSE(world.workload->status.admission);
    EXPECT_EQ(world.held(), Strings{"p1"}) << "its work is done, and counts";
    EXPECT_EQ(world.names(), (Strings{"p1", "p2"})) << "what had failed before stays to be looked at";
}

TEST(PodGroup, EvictedWaitsForReplacementsAndIsThenAdmittedAgain) {
    PodsTestWorld world;
    world.make_running(2);
    world.evict();
    world.settle();
    world.end("p0", "Failed");
    world.add("r0", 2);
    world.settle();
    world.end("p1", "Failed");
    world.settle();
    ASSERT_TRUE(holds(world, "WaitingForReplacementPods")) << "an incomplete group is not to be admitted again";
    EXPECT_EQ(find_condition(world.workload->status, "WaitingForReplacementPods")->reason, "Preempted");
    EXPECT_TRUE(holds(world, "Requeued"));
    world.add("r1", 2);
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"r0", "r1"}));
}

TEST(PodGroup, GivesUpANodeThatNeverAnswers) {
    PodsTestWorld world;
    world.make_running(1);
    world.evict();
    world.settle();
    const GroupPlan plan = world.decide();
    ASSERT_TRUE(plan.wake_at);
    EXPECT_TRUE(holds(world, "QuotaReserved"));
    world.now = *plan.wake_at;
    world.settle();
    EXPECT_FALSE(holds(world, "QuotaReserved"));
}

TEST(PodGroup, DeletingPodsThatWaitNeverHangs) {
    for (const bool whole : {false, true}) {
        PodsTestWorld world;
        world.add_many(whole ? 3 : 2, 3);
        world.settle();
        for (const std::string& name : world.names()) world.remove(name);
        world.settle();
        EXPECT_TRUE(world.pods.empty()) << whole;
    }
}

TEST(PodGroup, ThatLostAPodBeforeAdmissionWaits) {
    PodsTestWorld world;
    world.add_many(3, 3);
    world.settle();
    world.remove("p1");
    world.settle();
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    world.add("other", 3, "7");
    world.settle();
    EXPECT_EQ(world.workload->spec.pod_sets.size(), 2u) << "the Workload follows its pods while it has no quota";
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
}

TEST(PodGroup, WhoseWorkloadWasMadeBeforeItsPodsIsAdmittedWithIt) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    // As a user writes it beforehand: no owners, no finalizer.
    world.workload->metadata.owner_references = {};
    world.workload->metadata.finalizers = {};
    world.pods.clear();
    EXPECT_EQ(world.settle(), 0) << "it waits for its pods";
    world.admit();
    EXPECT_EQ(world.settle(), 0);
    EXPECT_FALSE(holds(world, "Finished"));

    const auto come = [&](const char* name) {
        world.add(name, 2).metadata.labels.set(kn::kPrebuiltWorkloadName, "g");
        world.settle();
    };
    come("a");
    EXPECT_TRUE(world.started().empty()) << "all start, or none";
    come("b");
    EXPECT_EQ(world.started(), (Strings{"a", "b"}));
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 2u);
    EXPECT_TRUE(is_in_use(*world.workload));
    world.run_all();
    for (const char* name : {"a", "b"}) world.end(name, "Succeeded");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "Succeeded");
}

TEST(PodGroup, ThatIsDeletedAndLeavesItsWorkloadBehindIsFinished) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    world.workload->metadata.owner_references = {};
    world.pods.clear();
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
}

TEST(PodGroup, CountsAPodThatSucceedsWhileTheGroupIsEvicted) {
    PodsTestWorld world;
    world.make_running(2);
    world.evict();
    world.settle();
    world.end("p0", "Succeeded");
    world.end("p1", "Failed");
    world.settle();
    EXPECT_FALSE(has_reservation(world.workload->status));
    ASSERT_EQ(world.workload->status.reclaimable_pods.size(), 1u);
    EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, 1) << "its work is done";
    EXPECT_EQ(world.held(), Strings{"p0"}) << "until the group is over";
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));

    world.add("r1", 2);
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods")) << "one is enough";
    world.admit();
    world.settle();
    world.run("r1");
    world.end("r1", "Succeeded");
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->message, "Pods succeeded: 2/2.");
    EXPECT_TRUE(world.held().empty());
}

TEST(PodGroup, ThatIsEvictedKeepsItsWorkloadForThePodsThatTakeTheirPlace) {
    PodsTestWorld world;
    world.make_running(2);
    world.evict();
    world.settle();
    for (const char* name : {"p0", "p1"}) world.end(name, "Failed");
    world.settle();
    EXPECT_TRUE(world.pods.empty()) << "pods of the same names can be made again";
    EXPECT_FALSE(has_reservation(world.workload->status));
    EXPECT_FALSE(holds(world, "Finished"));
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    EXPECT_TRUE(world.workload->metadata.owner_references.empty()) << "the garbage collector leaves it alone";
    EXPECT_EQ(world.settle(), 0);

    world.add_many(2, 2);
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 2u);
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"p0", "p1"}));
}

TEST(PodGroup, ThatIsEvictedAndDeletedByItsOwnerIsFinished) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    world.evict();
    for (const char* name : {"p0", "p1"}) world.remove(name);
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
}

TEST(PodGroup, ThatHasFinishedHoldsItsWorkloadNoLonger) {
    PodsTestWorld world;
    world.make_running(2);
    EXPECT_TRUE(is_in_use(*world.workload));
    for (const char* name : {"p0", "p1"}) world.end(name, "Succeeded");
    world.settle();
    EXPECT_TRUE(holds(world, "Finished"));
    EXPECT_FALSE(is_in_use(*world.workload));
}

TEST(PodGroup, OwnsItsWorkloadAgainWhenAUserRemovesTheOwnerReferences) {
    PodsTestWorld world;
    world.make_running(2);
    world.workload->metadata.owner_references = {};
    world.settle();
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 2u);
}

TEST(PodGroup, OfNewPodsIsNotHeldUpByAFinishedWorkloadWithoutOwners) {
    PodsTestWorld world;
    world.make_running(2);
    for (const char* name : {"p0", "p1"}) world.end(name, "Succeeded");
    world.settle();
    EXPECT_TRUE(holds(world, "Finished"));
    world.workload->metadata.owner_references = {};
    world.pods.clear();
    world.settle();
    EXPECT_TRUE(holds(world, "Finished")) << "it stays to be looked at";

    world.add_many(2, 2);
    EXPECT_GT(world.settle(), 0);
    EXPECT_FALSE(holds(world, "Finished")) << "the new pods have a Workload of their own";
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 2u);
}

TEST(PodGroup, FollowsItsPodsToAnotherQueueWhileItWaits) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    for (auto& [name, pod] : world.pods) pod.metadata.labels.set(kn::kQueueNameLabel, "other");
    world.settle();
    EXPECT_EQ(world.workload->spec.queue_name, "other");
}

TEST(PodGroup, FollowsItsPodsInHowLongItMayRun) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    const auto label = [&](const char* seconds) {
        for (auto& [name, pod] : world.pods) pod.metadata.labels.set(kn::kMaxExecTimeSecondsLabel, seconds);
        world.settle();
    };
    label("60");
    EXPECT_EQ(world.workload->spec.maximum_execution_time_seconds, 60);
    set_condition(world.workload->status, "QuotaReserved", true, "QuotaReserved", "", 1, world.now);
    label("70");
    EXPECT_EQ(world.workload->spec.maximum_execution_time_seconds, 70) << "until it is admitted";
    world.admit();
    label("80");
    EXPECT_EQ(world.workload->spec.maximum_execution_time_seconds, 70);
}

TEST(PodGroup, ThatIsMadeLargerWhileItWaitsIsNotAdmittedWithoutTheOthers) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    for (auto& [name, pod] : world.pods) pod.metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, "3");
    world.settle();
    ASSERT_TRUE(holds(world, "WaitingForReplacementPods"));
    EXPECT_EQ(find_condition(world.workload->status, "WaitingForReplacementPods")->message,
              "The group g has 2 of 3 pods; it waits for the others");
    EXPECT_EQ(world.told.back(), "WaitingForPods: The group g has 2 of 3 pods; it waits for the others");
    world.add("p2", 3);
    world.settle();
    EXPECT_TRUE(world.rejected.empty());
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 3);
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
}

TEST(PodGroup, OfWhichAPartIsDoneReportsPodsThatItCannotTake) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.settle();
    world.evict();
    world.settle();
    world.end("p1", "Failed");
    world.settle();
    world.add("other", 2, "7");
    world.settle();
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    EXPECT_EQ(world.told.back(),
              "UnknownShape: None of the sets that the group was admitted with is of this pod's shape");
}

TEST(PodGroup, RejectsAPodOfAnUnknownShapeOnceItHasQuota) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Failed");
    world.add("other", 2, "64");
    world.settle();
    EXPECT_EQ(world.rejected, Strings{"other"});
}

TEST(PodGroup, IsCleanedUpWhenItsWorkloadIsDeleted) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.settle();
    world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.settle();
    ASSERT_TRUE(world.workload) << "its quota is not free while p1 runs";
    EXPECT_EQ(world.held(), Strings{"p1"});
    EXPECT_TRUE(world.pods["p1"].metadata.deletion_timestamp);
    EXPECT_FALSE(world.pods["p0"].metadata.deletion_timestamp);
    world.add("n0", 2);
    world.add("n1", 2);
    world.settle();
    EXPECT_TRUE(world.workload->metadata.deletion_timestamp) << "others of its name wait until it has gone";
    world.end("p1", "Failed");
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 2);
    EXPECT_TRUE(world.workload->status.reclaimable_pods.empty()) << "p0 succeeded for the other";
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"n0", "n1", "p0"})) << "neither is one too many";
}

TEST(PodGroup, WhoseWorkloadIsDeletedDoesNotWaitForEverForANode) {
    PodsTestWorld world;
    world.make_running(1);
    world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.settle();
    const GroupPlan plan = world.decide();
    ASSERT_TRUE(plan.wake_at);
    world.now = *plan.wake_at;
    world.settle();
    EXPECT_FALSE(world.workload);
    EXPECT_TRUE(world.held().empty());
}

TEST(PodGroup, OfWhichAPartIsDoneCanBeDeleted) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.settle();
    world.remove("p0");
    world.remove("p1");
    world.settle();
    EXPECT_EQ(world.names(), (Strings{"p0", "p1"}));
    EXPECT_FALSE(holds(world, "Finished")) << "p1 still runs";
    world.end("p1", "Failed");
    world.settle();
    EXPECT_TRUE(world.pods.empty());
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OwnerNotFound");
}

TEST(PodGroup, OfWhichAPartIsDoneWaitsForWhoIsReplaced) {
    PodsTestWorld world;
    world.make_running(2);
    world.end("p0", "Succeeded");
    world.remove("p0");
    world.remove("p1");
    world.add("r1", 2);
    world.end("p1", "Failed");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished"));
    EXPECT_EQ(world.started(), (Strings{"p0", "r1"}));
}

TEST(PodGroup, HoldsPodsThatAFormerWorkloadOfItsNameReleased) {
    PodsTestWorld world;
    world.add_many(2, 2);
    for (auto& [name, pod] : world.pods) pod.metadata.finalizers.reset();
    world.settle();
    world.admit();
    world.settle();
    EXPECT_EQ(world.started(), (Strings{"p0", "p1"}));
    EXPECT_EQ(world.held(), (Strings{"p0", "p1"}));
    // So a pod that succeeds while it is being deleted is counted and not replaced.
    world.run_all();
    world.remove("p0");
    world.end("p0", "Succeeded");
    world.settle();
    EXPECT_TRUE(world.pods.contains("p0"));
    EXPECT_EQ(world.workload->status.reclaimable_pods[0].count, 1);
}

TEST(PodGroup, OfOldPodsThatWentDoesNotTakeNewOnesWithIt) {
    PodsTestWorld world;
    world.add_many(1, 1);
    world.settle();
    world.remove("p0");
    world.settle();
    ASSERT_TRUE(world.pods.empty());
    // The garbage collector had begun before it was released, and the same group comes again.
    world.workload->metadata.finalizers = {kn::kResourceInUseFinalizer};
    world.workload->metadata.deletion_timestamp = api::Time::from_instant(world.now);
    world.add("p0", 1);
    world.settle();
    EXPECT_EQ(world.names(), Strings{"p0"});
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(world.workload->metadata.owner_references[0].uid, world.pods["p0"].metadata.uid);
}

TEST(PodGroup, DoesNotTakeAForeignWorkloadOfItsName) {
    PodsTestWorld world;
    world.add_many(1, 1);
    world.workload = api::kueue::Workload();
    world.workload->metadata.name = "g";
    EXPECT_EQ(world.settle(), 0);
    EXPECT_TRUE(world.workload->metadata.owner_references.empty());
    EXPECT_TRUE(world.told[0].starts_with("WorkloadNameConflict: "));
}

TEST(PodGroup, WithoutAWorkloadDoesNotRun) {
    PodsTestWorld world;
    world.make_running(2);
    world.workload.reset();
    const GroupPlan plan = world.decide();
    EXPECT_TRUE(plan.confirm_no_workload);
    EXPECT_EQ(plan.remove.size(), 2u);
    EXPECT_FALSE(plan.create);
}

TEST(PodGroup, WhosePodsDisagreeWhileItWaitsGetsNoQuotaUntilTheyAgree) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    world.pods["p0"].metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, "3");
    world.settle();
    EXPECT_TRUE(holds(world, "WaitingForReplacementPods"));
    world.pods["p1"].metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, "3");
    world.add("p2", 3);
    world.settle();
    EXPECT_FALSE(holds(world, "WaitingForReplacementPods"));
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 3);
}

TEST(PodGroup, GrowsWhileItWaitsThoughItsClassIsGone) {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    api::kueue::PriorityClassRef gone;
    gone.group = kn::kWorkloadPriorityClassGroup;
    gone.kind = kn::kWorkloadPriorityClassKind;
    gone.name = "gone";
    world.workload->spec.priority_class_ref = gone;
    world.workload->spec.priority = 7;
    world.add("p2", 3);
    for (auto& [name, pod] : world.pods) {
        pod.metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, "3");
        pod.metadata.labels.set(kn::kPriorityClassLabel, "gone");
    }
    world.settle();
    EXPECT_EQ(world.workload->spec.pod_sets[0].count, 3);
    EXPECT_EQ(world.workload->spec.priority, 7);
}

TEST(PodGroup, TellsWhenItsPodsAreReady) {
    PodsTestWorld world;
    world.watch_readiness = true;
    world.make_running(1);
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "PodsReady")->reason, "WaitForStart");
    api::core::PodCondition ready;
    ready.type = "Ready";
    ready.status = "True";
    world.pods["p0"].status.conditions.edit().push_back(ready);
    world.settle();
    EXPECT_TRUE(holds(world, "PodsReady"));
    world.pods["p0"].status.conditions.edit()[0].status = "False";
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "PodsReady")->reason, "WaitForRecovery");
}

TEST(PodGroup, WhoseFlavorContradictsItsPodsFailsToStart) {
    PodsTestWorld world;
    world.add("a", 1).spec.node_selector.set("tier", "reserved");
    world.settle();
    world.flavors[Text("f")].spec.node_labels.set("tier", "spot");
    world.admit();
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "FailedToStart");
}

TEST(PodGroup, OfWhichOneCannotStartStartsNone) {
    PodsTestWorld world;
    world.add("a", 2).spec.node_selector.set("tier", "reserved");
    world.add("b", 2);
    world.settle();
    world.flavors[Text("f")].spec.node_labels.set("tier", "spot");
    world.admit();
    world.settle();
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "FailedToStart");
    for (const char* name : {"a", "b"})
        EXPECT_TRUE(is_gated(world.pods.at(name))) << name << " would run without quota";
}

TEST(PodGroup, ThatRunsGoesOnWithoutAReplacementThatCannotStart) {
    PodsTestWorld world;
    for (const char* name : {"a", "b"}) world.add(name, 2).spec.node_selector.set("tier", "reserved");
    world.settle();
    world.admit();
    world.settle();
    world.run_all();
    world.end("a", "Failed");
    world.settle();
    world.flavors[Text("f")].spec.node_labels.set("tier", "spot");
    world.add("c", 2).spec.node_selector.set("tier", "reserved");
    world.settle();
    EXPECT_FALSE(holds(world, "Finished")) << "its quota would be free while b runs";
    EXPECT_FALSE(world.pods.contains("c"));
    EXPECT_TRUE(world.pods.contains("b"));
}

TEST(PodGroups, AWorkloadMadeBeforehandIsTakenByTheGroupThatNamesIt) {
    PodsTestWorld world;
    const auto name_it = [&](api::core::Pod& pod) { pod.metadata.labels.set(api::kueue::kPrebuiltWorkloadName, "g"); };
    name_it(world.add("a", 2));
    name_it(world.add("b", 2));
    world.settle();
    EXPECT_FALSE(world.workload) << "it is not ours to make";
    EXPECT_EQ(world.told.back(), "PrebuiltWorkloadNotFound: The Workload g that the pod names is not there");

    api::kueue::Workload made;
    made.metadata.name = "g";
    made.metadata.namespace_ = "default";
    made.spec.queue_name = "q";
    api::kueue::PodSet set;
    set.name = "mine";
    set.count = 2;
    api::core::Container container;
    container.name = "c";
    container.resources.requests.set("cpu", api::Quantity::from_int(1));
    set.template_.spec.containers.edit().push_back(container);
    made.spec.pod_sets.edit().push_back(set);
    world.workload = made;
    world.settle();
    EXPECT_EQ(world.workload->metadata.owner_references.size(), 2u);
    EXPECT_TRUE(is_group_workload(*world.workload));
    EXPECT_EQ(world.workload->spec.pod_sets[0].name, "mine") << "as it was made";
    EXPECT_FALSE(is_finished(world.workload->status));
    world.admit();
    world.settle();
    EXPECT_FALSE(is_gated(world.pods["a"]));
    EXPECT_FALSE(is_gated(world.pods["b"]));
}

TEST(PodGroups, AWorkloadMadeForOtherPodsIsOver) {
    PodsTestWorld world;
    for (const char* name : {"a", "b"}) world.add(name, 2).metadata.labels.set(api::kueue::kPrebuiltWorkloadName, "g");
    api::kueue::Workload made;
    made.metadata.name = "g";
    made.metadata.namespace_ = "default";
    api::kueue::PodSet set;
    set.name = "mine";
    set.count = 3;
    made.spec.pod_sets.edit().push_back(set);
    world.workload = made;
    world.settle();
    ASSERT_TRUE(is_finished(world.workload->status));
    EXPECT_EQ(find_condition(world.workload->status, "Finished")->reason, "OutOfSync");
}

TEST(PodGroups, WhoHoldsThePodsBackHoldsTheGroupBack) {
    PodsTestWorld world;
    for (const char* name : {"a", "b"})
        world.add(name, 2).metadata.annotations.set(api::kueue::kAdmissionGatedByAnnotation, "a.io/x");
    world.settle();
    ASSERT_TRUE(world.workload);
    EXPECT_EQ(*world.workload->metadata.annotations.find(api::kueue::kAdmissionGatedByAnnotation), "a.io/x");
    for (auto& [name, pod] : world.pods) pod.metadata.annotations.erase(api::kueue::kAdmissionGatedByAnnotation);
    world.settle();
    EXPECT_FALSE(world.workload->metadata.annotations.contains(api::kueue::kAdmissionGatedByAnnotation));
}

}  // namespace pods_decide_test
}  // namespace muster::controllers::podqueue
