#include "controllers/garbage/decide.h"

#include <gtest/gtest.h>

#include "controllers/garbage/garbage_test_objects.h"

namespace muster::controllers {
namespace garbage_decide_test {

using api::meta::ObjectMeta;
using client::Propagation;
using S = OwnerStanding;
using testing::owned_by;

ObjectMeta with_finalizer(ObjectMeta metadata, const char* finalizer) {
    metadata.finalizers.edit().push_back(finalizer);
    return metadata;
}

ObjectMeta deleted(ObjectMeta metadata) {
    metadata.deletion_timestamp = api::Time::from_unix_seconds(1704067200);
    return metadata;
}

TEST(GarbageDecideDependent, Table) {
    struct Case {
        const char* name;
        ObjectMeta latest;
        std::vector<S> standings;
        bool has_dependents;
        bool has_waiting_dependent;
        DependentPlan want;
    } cases[] = {
        {"an object without owners stays", owned_by({}), {}, true, true, {}},
        {"an object whose owner lives stays", owned_by({"a"}), {S::kSolid}, false, false, {}},
        {"an object whose owner is gone goes in the background",
         owned_by({"a"}),
         {S::kGone},
         true,
         false,
         {.remove = Propagation::kBackground}},
        {"it goes when all its owners are gone",
         owned_by({"a", "b"}),
         {S::kGone, S::kGone},
         false,
         false,
         {.remove = Propagation::kBackground}},
        {"with one owner left it loses the references to the others",
         owned_by({"a", "b", "c"}),
         {S::kGone, S::kSolid, S::kWaiting},
         true,
         true,
         {.drop_owners = {"a", "c"}}},
        {"an orphan finalizer that is already there decides what becomes of its dependents",
         with_finalizer(owned_by({"a"}), kOrphanDependents),
         {S::kGone},
         false,
         false,
         {.remove = Propagation::kOrphan}},
        {"so does a foreground finalizer",
         with_finalizer(owned_by({"a"}), kDeleteDependents),
         {S::kGone},
         false,
         false,
         {.remove = Propagation::kForeground}},
        {"a dependent of an owner that waits goes in the background when nothing depends on it",
         owned_by({"a"}),
         {S::kWaiting},
         false,
         false,
         {.remove = Propagation::kBackground}},
        {"with dependents of its own it waits for them in turn",
         owned_by({"a"}),
         {S::kWaiting},
         true,
         false,
         {.remove = Propagation::kForeground}},
        {"a circle of those who wait is opened before it",
         owned_by({"a", "b"}),
         {S::kGone, S::kWaiting},
         true,
         true,
         {.unblock_owners = true, .remove = Propagation::kForeground}},
        {"what is being deleted already is left to its deletion",
         deleted(owned_by({"a"})),
         {S::kGone},
         false,
         false,
         {}},
    };
    for (const Case& c : cases)
        EXPECT_EQ(decide_dependent({c.latest, c.standings, c.has_dependents, c.has_waiting_dependent}), c.want)
            << c.name;
}

TEST(GarbageDecideWaiting, Table) {
    struct Case {
        const char* name;
        WaitingView view;
        WaitingPlan want;
    } cases[] = {
        {"a waiting object that is not blocked goes", {false, false}, {.release = true}},
        {"who is blocked waits on", {true, false}, {}},
        {"who waits for itself through others stops blocking them", {true, true}, {.unblock_owners = true}},
        {"an open circle is no reason to wait", {false, true}, {.release = true}},
    };
    for (const Case& c : cases) EXPECT_EQ(decide_waiting(c.view), c.want) << c.name;
}

TEST(GarbageOwnerStanding, AnOwnerWaitsOnlyWhenItIsBeingDeletedInTheForeground) {
    EXPECT_EQ(standing_of(owned_by({})), S::kSolid);
    EXPECT_EQ(standing_of(deleted(owned_by({}))), S::kSolid);
    EXPECT_EQ(standing_of(with_finalizer(owned_by({}), kDeleteDependents)), S::kSolid);
    EXPECT_EQ(standing_of(with_finalizer(deleted(owned_by({})), kDeleteDependents)), S::kWaiting);
}

TEST(GarbageUnblocked, KeepsEverythingButTheBlocking) {
    const ObjectMeta before = owned_by({"a", "b"});
    auto want = before.owner_references;
    for (auto& reference : want.edit()) reference.block_owner_deletion = false;
    EXPECT_EQ(unblocked(before.owner_references), want);
}

}  // namespace garbage_decide_test
}  // namespace muster::controllers
