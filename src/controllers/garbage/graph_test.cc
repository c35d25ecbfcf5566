#include "controllers/garbage/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/garbage/decide.h"
#include "controllers/garbage/garbage_test_objects.h"

namespace muster::controllers {
namespace graph_test {

using api::meta::ObjectMeta;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::job_identity;
using testing::owned_by;

ObjectMeta going(ObjectMeta metadata, const char* finalizer) {
    metadata.deletion_timestamp = api::Time::from_unix_seconds(1704067200);
    if (*finalizer) metadata.finalizers.edit().push_back(finalizer);
    return metadata;
}

class GarbageGraph : public ::testing::Test {
protected:
    GraphChanges observe(const char* uid, std::initializer_list<const char*> owners = {}, bool blocking = true) {
        return graph.observe(job_identity(uid), owned_by(owners, blocking));
    }
    GraphChanges observe_going(const char* uid, const char* finalizer, std::initializer_list<const char*> owners = {},
                               bool blocking = true) {
        return graph.observe(job_identity(uid), going(owned_by(owners, blocking), finalizer));
    }
    OwnerGraph graph;
};

TEST_F(GarbageGraph, ObjectsWithOwnersThatWereSeenNeedNoLook) {
    EXPECT_EQ(observe("owner"), GraphChanges());
    EXPECT_EQ(observe("a", {"owner"}), GraphChanges());
    EXPECT_TRUE(graph.has_dependents("owner"));
    EXPECT_TRUE(graph.is_blocked("owner"));
}

TEST_F(GarbageGraph, AnUnseenOwnerIsLookedForOnceForAllItsDependents) {
    EXPECT_THAT(observe("a", {"owner"}).examine, ElementsAre("owner"));
    EXPECT_THAT(observe("b", {"owner"}).examine, IsEmpty());
    EXPECT_TRUE(graph.is_phantom("owner"));
    EXPECT_THAT(graph.claims("owner"), ElementsAre(job_identity("owner")));
    EXPECT_EQ(observe("owner"), GraphChanges());
    EXPECT_FALSE(graph.is_phantom("owner"));
}

TEST_F(GarbageGraph, DependentsOfAnOwnerProvedAbsentAreLookedAt) {
    observe("a", {"owner"});
    observe("b", {"owner"});
    EXPECT_THAT(graph.mark_absent(job_identity("owner")).examine, ElementsAre("a", "b"));
    EXPECT_FALSE(graph.knows("owner"));
    EXPECT_TRUE(graph.is_known_absent(job_identity("owner")));
}

TEST_F(GarbageGraph, APhantomThatIsNoLongerReferencedIsForgotten) {
    observe("a", {"owner"});
    observe("a", {});
    EXPECT_FALSE(graph.knows("owner"));
    observe("b", {"owner"});
    graph.forget("b");
    EXPECT_FALSE(graph.knows("owner"));
    EXPECT_EQ(graph.size(), 1u);
}

TEST_F(GarbageGraph, DependentsOfAnOwnerThatWentAreLookedAtInTheOrderTheyCame) {
    observe("owner");
    observe("b", {"owner"});
    observe("a", {"owner"});
    EXPECT_THAT(graph.forget("owner").examine, ElementsAre("b", "a"));
    EXPECT_TRUE(graph.is_known_absent(job_identity("owner")));
    EXPECT_EQ(graph.forget("owner"), GraphChanges()) << "a second deletion says nothing new";
}

TEST_F(GarbageGraph, AnOwnerOfAnotherNamespaceIsReportedAndTheDependentLookedAt) {
    observe("owner");
    const auto changes = graph.observe(job_identity("a", "elsewhere"), owned_by({"owner"}));
    EXPECT_THAT(changes.examine, ElementsAre("a"));
    EXPECT_THAT(changes.foreign,
                ElementsAre(ForeignOwner{job_identity("a", "elsewhere"), job_identity("owner", "elsewhere")}));
}

TEST_F(GarbageGraph, ItIsReportedAsWellWhenTheOwnerIsSeenLater) {
    graph.observe(job_identity("a", "elsewhere"), owned_by({"owner"}));
    const auto changes = observe("owner");
    EXPECT_THAT(changes.examine, ElementsAre("a"));
    EXPECT_THAT(changes.foreign,
                ElementsAre(ForeignOwner{job_identity("a", "elsewhere"), job_identity("owner", "elsewhere")}));
}

TEST_F(GarbageGraph, AnOwnerOfAKindWithoutNamespacesIsTheSameFromEverywhere) {
    api::meta::OwnerReference node;
    node.api_version = "v1";
    node.kind = "Node";
    node.name = node.uid = "n";
    ObjectMeta metadata;
    metadata.owner_references.edit().push_back(node);
    graph.observe(job_identity("a", "one"), metadata);
    graph.observe(job_identity("b", "two"), metadata);
    EXPECT_THAT(graph.claims("n"), ElementsAre(ObjectIdentity{"v1", "Node", "", "n", "n"}));
    EXPECT_EQ(graph.observe({"v1", "Node", "", "n", "n"}, ObjectMeta()), GraphChanges());
}

TEST_F(GarbageGraph, ADependentThatNamesItsOwnerWronglyIsLookedAt) {
    observe("owner");
    ObjectMeta metadata = owned_by({"owner"});
    metadata.owner_references.edit()[0].name = "other";
    const auto changes = graph.observe(job_identity("a"), metadata);
    EXPECT_THAT(changes.examine, ElementsAre("a"));
    EXPECT_THAT(changes.foreign, IsEmpty());
}

TEST_F(GarbageGraph, OfAPhantomWithTwoNamesOnlyTheAbsentOneCostsItsDependents) {
    observe("a", {"owner"});
    EXPECT_THAT(graph.observe(job_identity("b", "elsewhere"), owned_by({"owner"})).examine, ElementsAre("owner"));
    EXPECT_EQ(graph.claims("owner").size(), 2u);
    EXPECT_THAT(graph.mark_absent(job_identity("owner", "elsewhere")).examine, ElementsAre("b"));
    EXPECT_TRUE(graph.is_phantom("owner"));
    EXPECT_THAT(graph.claims("owner"), ElementsAre(job_identity("owner")));
}

TEST_F(GarbageGraph, AForegroundDeletionLooksAtTheDependentsAndThenAtTheOwner) {
    observe("owner");
    observe("a", {"owner"});
    observe("b", {"owner"});
    EXPECT_THAT(observe_going("owner", kDeleteDependents).examine, ElementsAre("a", "b", "owner"));
    EXPECT_THAT(observe_going("owner", kDeleteDependents).examine, IsEmpty()) << "only when it begins";
    EXPECT_THAT(observe("late", {"owner"}).examine, ElementsAre("late"));
    EXPECT_THAT(graph.forget("a").examine, ElementsAre("owner"));
}

TEST_F(GarbageGraph, OnlyDependentsThatBlockKeepAnOwner) {
    observe("owner");
    observe("a", {"owner"}, false);
    EXPECT_FALSE(graph.is_blocked("owner"));
    observe("b", {"owner"}, true);
    EXPECT_TRUE(graph.is_blocked("owner"));
    observe_going("owner", kDeleteDependents);
    EXPECT_THAT(observe("b", {"owner"}, false).examine, ElementsAre("b", "owner")) << "b blocks no longer";
    EXPECT_FALSE(graph.is_blocked("owner"));
}

TEST_F(GarbageGraph, WhoOwnsItselfDoesNotBlockItself) {
    observe_going("a", kDeleteDependents, {"a"});
    EXPECT_FALSE(graph.is_blocked("a"));
    EXPECT_EQ(graph.forget("a").examine, std::vector<Text>());
}

TEST_F(GarbageGraph, AnOrphaningDeletionAsksToReleaseTheDependents) {
    observe("owner");
    observe("a", {"owner"});
    const auto changes = observe_going("owner", kOrphanDependents);
    EXPECT_THAT(changes.orphan, ElementsAre("owner"));
    EXPECT_THAT(changes.examine, IsEmpty());
    EXPECT_THAT(observe("late", {"owner"}).orphan, ElementsAre("owner"));
}

TEST_F(GarbageGraph, ACircleOfThoseWhoWaitIsSeen) {
    observe_going("a", kDeleteDependents, {"c"});
    observe_going("b", kDeleteDependents, {"a"});
    EXPECT_FALSE(graph.is_in_waiting_cycle("a"));
    observe_going("c", kDeleteDependents, {"b"});
    for (const char* uid : {"a", "b", "c"}) EXPECT_TRUE(graph.is_in_waiting_cycle(uid)) << uid;
    observe_going("b", kDeleteDependents, {"a"}, false);
    for (const char* uid : {"a", "b", "c"}) EXPECT_FALSE(graph.is_in_waiting_cycle(uid)) << uid;
}

TEST_F(GarbageGraph, AnOwnerOutOfSightIsNotGone) {
    observe("owner");
    observe("a", {"owner"});
    EXPECT_EQ(graph.lose_sight("owner"), GraphChanges()) << "nothing says that its dependents must go";
    EXPECT_TRUE(graph.is_phantom("owner"));
    EXPECT_FALSE(graph.is_known_absent(job_identity("owner")));
    EXPECT_EQ(observe("owner"), GraphChanges()) << "it is in sight again";
    EXPECT_TRUE(graph.is_blocked("owner"));
    EXPECT_EQ(graph.lose_sight("nothing"), GraphChanges());
}

TEST_F(GarbageGraph, ADependentOutOfSightHoldsNothing) {
    observe_going("owner", kDeleteDependents);
    observe("a", {"owner"});
    EXPECT_TRUE(graph.is_blocked("owner"));
    EXPECT_THAT(graph.lose_sight("a").examine, ElementsAre("owner"));
    EXPECT_FALSE(graph.is_blocked("owner"));
    EXPECT_FALSE(graph.knows("a"));
}

TEST_F(GarbageGraph, AbsencesAreForgottenOldestFirst) {
    OwnerGraph small({}, 2);
    for (const char* uid : {"a", "b", "c"}) small.mark_absent(job_identity(uid));
    EXPECT_FALSE(small.is_known_absent(job_identity("a")));
    EXPECT_TRUE(small.is_known_absent(job_identity("b")));
    EXPECT_TRUE(small.is_known_absent(job_identity("c")));
}

}  // namespace graph_test
}  // namespace muster::controllers
