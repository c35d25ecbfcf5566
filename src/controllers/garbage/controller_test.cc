#include "controllers/garbage/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/event.h"
#include "controllers/garbage/garbage_test_objects.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace garbage_controller_test {

using api::batch::Job;
using api::core::ConfigMap;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Owners are Jobs, what they own is ConfigMaps; an object's name is its UID.
class GarbageControllerTest : public ::testing::Test {
protected:
    void start() {
        GarbageOptions options;
        options.kinds = {&api::kind_info<ConfigMap>(), &api::kind_info<Job>()};
        controller = std::make_unique<GarbageController>(loop, world, metrics, options);
        controller->start();
        settle();
    }
    // A second is plenty for retries, and short of what goes on for ever.
    void settle() { loop.run_for(1s); }
    void job(const char* uid, std::initializer_list<const char*> owners = {}, bool blocking = true) {
        Job object;
        object.metadata = testing::owned_by(owners, blocking);
        put(std::move(object), uid);
    }
    void config(const char* uid, std::initializer_list<const char*> owners, bool blocking = true,
                const char* in_namespace = "default") {
        ConfigMap object;
        object.metadata = testing::owned_by(owners, blocking);
        put(std::move(object), uid, in_namespace);
    }
    template <class K>
    void put(K object, const char* uid, const char* in_namespace = "default") {
        object.metadata.namespace_ = in_namespace;
        object.metadata.name = object.metadata.uid = uid;
        world.put(std::move(object));
    }
    void remove_job(const char* name, client::Propagation propagation) {
        client::Removal removal;
        removal.propagation = propagation;
        world.remove_now<Job>("default", name, removal);
        settle();
    }
    template <class K>
    std::vector<std::string> names() {
        std::vector<std::string> out;
        for (const auto& object : world.all<K>()) out.push_back(object->metadata.name.str());
        return out;
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<GarbageController> controller;
};

using Names = std::vector<std::string>;

TEST_F(GarbageControllerTest, WhatAJobOwnedGoesAfterItInTheBackground) {
    job("owner");
    config("a", {"owner"});
    config("b", {"owner"});
    config("free", {});
    start();
    EXPECT_EQ(names<ConfigMap>(), Names({"a", "b", "free"}));
    remove_job("owner", client::Propagation::kBackground);
    EXPECT_EQ(names<ConfigMap>(), Names({"free"}));
    EXPECT_TRUE(controller->idle());
}

TEST_F(GarbageControllerTest, WhatWasOrphanedBeforeTheStartGoesAtTheStart) {
    config("a", {"gone"});
    config("b", {"gone"});
    start();
    EXPECT_EQ(names<ConfigMap>(), Names());
    EXPECT_EQ(controller->graph().size(), 0u);
}

TEST_F(GarbageControllerTest, AnOwnerOfTheSameNameIsNotTheOwner) {
    Job other;
    other.metadata.namespace_ = "default";
    other.metadata.name = "owner";
    other.metadata.uid = "another";
    world.put(other);
    config("a", {"owner"});
    start();
    EXPECT_EQ(names<ConfigMap>(), Names());
}

TEST_F(GarbageControllerTest, AnOwnerInTheForegroundGoesAfterItsDependents) {
    job("owner");
    config("a", {"owner"});
    Job held;
    held.metadata = testing::owned_by({"owner"});
    held.metadata.finalizers.edit().push_back("example.com/slow");
    put(held, "held");
    start();
    remove_job("owner", client::Propagation::kForeground);
    EXPECT_EQ(names<ConfigMap>(), Names());
    EXPECT_EQ(names<Job>(), Names({"held", "owner"})) << "one that blocks is still there";
    world.erase<Job>("default", "held");
    settle();
    EXPECT_EQ(names<Job>(), Names());
}

TEST_F(GarbageControllerTest, DependentsThatDoNotBlockAreNotWaitedFor) {
    job("owner");
    Job held;
    held.metadata = testing::owned_by({"owner"}, false);
    held.metadata.finalizers.edit().push_back("example.com/slow");
    put(held, "held");
    start();
    remove_job("owner", client::Propagation::kForeground);
    EXPECT_EQ(names<Job>(), Names({"held"}));
    EXPECT_TRUE(world.find<Job>("default", "held")->metadata.deletion_timestamp);
}

TEST_F(GarbageControllerTest, OrphansStayAndForgetTheirOwner) {
    job("owner");
    job("other");
    config("a", {"owner"});
    config("b", {"owner", "other"});
    start();
    remove_job("owner", client::Propagation::kOrphan);
    EXPECT_EQ(names<Job>(), Names({"other"}));
    EXPECT_EQ(names<ConfigMap>(), Names({"a", "b"}));
    EXPECT_THAT(world.find<ConfigMap>("default", "a")->metadata.owner_references, IsEmpty());
    EXPECT_EQ(world.find<ConfigMap>("default", "b")->metadata.owner_references.size(), 1u);
}

TEST_F(GarbageControllerTest, WithOneOwnerLeftTheReferenceToTheOtherIsTakenAway) {
    job("one");
    job("two");
    config("a", {"one", "two"});
    start();
    remove_job("one", client::Propagation::kBackground);
    const auto left = world.find<ConfigMap>("default", "a");
    ASSERT_TRUE(left);
    ASSERT_EQ(left->metadata.owner_references.size(), 1u);
    EXPECT_EQ(left->metadata.owner_references[0].uid, "two");
}

TEST_F(GarbageControllerTest, AnOwnerThatWaitsIsLetGoByDependentsWithAnotherOwner) {
    job("one");
    job("two");
    config("a", {"one", "two"});
    start();
    remove_job("one", client::Propagation::kForeground);
    EXPECT_EQ(names<Job>(), Names({"two"}));
    EXPECT_EQ(names<ConfigMap>(), Names({"a"}));
}

TEST_F(GarbageControllerTest, AnOwnerInAnotherNamespaceIsNoOwnerAndTheDependentIsTold) {
    job("owner");
    config("a", {"owner"}, true, "elsewhere");
    start();
    EXPECT_EQ(names<ConfigMap>(), Names());
    const auto events = world.all<api::core::Event>();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]->reason, "OwnerRefInvalidNamespace");
    EXPECT_EQ(events[0]->metadata.namespace_, "elsewhere");
    EXPECT_THAT(events[0]->message.str(),
                HasSubstr("ownerRef [batch/v1/Job, namespace: elsewhere, name: owner, uid: owner] does not exist in "
                          "namespace \"elsewhere\""));
}

TEST_F(GarbageControllerTest, AForegroundDeletionRunsDownAChain) {
    job("a");
    job("b", {"a"});
    job("c", {"b"});
    config("leaf", {"c"});
    start();
    remove_job("a", client::Propagation::kForeground);
    EXPECT_EQ(names<Job>(), Names());
    EXPECT_EQ(names<ConfigMap>(), Names());
}

TEST_F(GarbageControllerTest, ACircleDeletedInTheForegroundGoes) {
    job("a", {"c"});
    job("b", {"a"});
    job("c", {"b"});
    start();
    remove_job("a", client::Propagation::kForeground);
    EXPECT_EQ(names<Job>(), Names());
}

TEST_F(GarbageControllerTest, ACircleAllOfWhichIsDeletedInTheForegroundGoes) {
    job("a", {"b"});
    job("b", {"a"});
    client::Removal removal;
    removal.propagation = client::Propagation::kForeground;
    world.remove_now<Job>("default", "a", removal);
    world.remove_now<Job>("default", "b", removal);
    start();
    EXPECT_EQ(names<Job>(), Names());
}

TEST_F(GarbageControllerTest, OwnersOfUnknownKindsKeepTheirDependents) {
    ConfigMap object;
    object.metadata = testing::owned_by({"x"});
    object.metadata.owner_references.edit()[0].api_version = "example.com/v1";
    put(object, "a");
    start();
    EXPECT_EQ(names<ConfigMap>(), Names({"a"}));
}

TEST_F(GarbageControllerTest, CallsThatFailAreMadeAgain) {
    job("owner");
    config("a", {"owner"});
    job("kept");
    config("b", {"owner", "kept"});
    start();
    world.fail("remove configmaps", Code::kUnavailable, 3);
    world.fail("patch configmaps", Code::kUnavailable, 3);
    remove_job("owner", client::Propagation::kBackground);
    EXPECT_EQ(names<ConfigMap>(), Names({"b"}));
    EXPECT_EQ(world.find<ConfigMap>("default", "b")->metadata.owner_references.size(), 1u);
}

TEST_F(GarbageControllerTest, AnOwnerWhoseDependentsCannotBeReleasedWaits) {
    job("owner");
    config("a", {"owner"});
    start();
    world.fail("patch configmaps", Code::kUnavailable, 2);
    remove_job("owner", client::Propagation::kOrphan);
    EXPECT_EQ(names<ConfigMap>(), Names({"a"}));
    EXPECT_EQ(names<Job>(), Names());
    EXPECT_THAT(world.find<ConfigMap>("default", "a")->metadata.owner_references, IsEmpty());
}

TEST_F(GarbageControllerTest, AnObjectThatGetsANewOwnerJustBeforeItsRemovalStays) {
    job("owner");
    job("saviour");
    config("a", {"owner"});
    start();
    world.fail("remove configmaps", Code::kUnavailable, 1);
    world.erase<Job>("default", "owner");
    loop.run_until([&] { return !world.calls.empty(); });
    config("a", {"saviour"});
    settle();
    EXPECT_EQ(names<ConfigMap>(), Names({"a"}));
    EXPECT_THAT(world.calls, Contains("remove configmaps default/a Background"));
}

}  // namespace garbage_controller_test
}  // namespace muster::controllers
