#include "controllers/namespace/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "api/kinds/batch.h"
#include "api/kinds/core/config.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace namespace_controller_test {

using api::batch::Job;
using api::core::ConfigMap;
using api::core::Namespace;
using api::core::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NamespaceControllerTest : public ::testing::Test {
protected:
    NamespaceControllerTest() {
        world.put<Namespace>(R"({"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]}})");
    }
    void start() {
        NamespaceOptions options;
        options.kinds = {&api::kind_info<Pod>(), &api::kind_info<ConfigMap>(), &api::kind_info<Job>()};
        controller = std::make_unique<NamespaceController>(loop, world, metrics, options);
        controller->start();
        loop.run_for(1s);
    }
    void remove_namespace() {
        world.remove_now<Namespace>("", "n");
        loop.run_for(1s);
    }
    template <class K>
    void put(const char* name, const char* in_namespace = "n", const char* finalizer = "") {
        K object;
        object.metadata.namespace_ = in_namespace;
        object.metadata.name = name;
        if (*finalizer) object.metadata.finalizers.edit().push_back(finalizer);
        world.put(std::move(object));
    }
    client::Ref<Namespace> namespace_() { return world.find<Namespace>("", "n"); }
    std::string condition(std::string_view type) {
        for (const auto& held : namespace_()->status.conditions)
            if (held.type == type) return held.status + " " + held.message;
        return "";
    }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<NamespaceController> controller;
};

TEST_F(NamespaceControllerTest, ItGoesWithEverythingInIt) {
    put<Job>("j");
    put<ConfigMap>("c");
    put<Pod>("p");
    put<ConfigMap>("c", "other");
    start();
    EXPECT_THAT(world.calls, IsEmpty());
    remove_namespace();
    EXPECT_EQ(namespace_(), nullptr);
    EXPECT_THAT(world.all<Job>(), IsEmpty());
    EXPECT_THAT(world.all<Pod>(), IsEmpty());
    ASSERT_EQ(world.all<ConfigMap>().size(), 1u);
    EXPECT_EQ(world.all<ConfigMap>()[0]->metadata.namespace_, "other");
    EXPECT_TRUE(controller->idle());
}

TEST_F(NamespaceControllerTest, PodsGetTheirTimeAndGoFirst) {
    world.put<Pod>(R"({"metadata": {"name": "p", "namespace": "n"}, "spec": {"nodeName": "node",
        "terminationGracePeriodSeconds": 30}, "status": {"phase": "Running"}})");
    put<ConfigMap>("c");
    start();
    remove_namespace();
    EXPECT_THAT(world.calls.front(), "remove pods n/p Background");
    EXPECT_EQ(world.all<ConfigMap>().size(), 1u) << "what pods use goes after them";
    EXPECT_EQ(condition("NamespaceContentRemaining"),
              "True Some resources are remaining: pods. has 1 resource instances");
    world.erase<Pod>("n", "p");
    loop.run_for(20s);
    EXPECT_EQ(namespace_(), nullptr);
    EXPECT_THAT(world.all<ConfigMap>(), IsEmpty());
}

TEST_F(NamespaceControllerTest, APodThatHasEndedAndIsHeldByItsJobDoesNotKeepTheJob) {
    world.put<Pod>(R"({"metadata": {"name": "p", "namespace": "n", "finalizers": ["batch.kubernetes.io/job-tracking"]},
        "spec": {"nodeName": "node"}, "status": {"phase": "Failed"}})");
    put<Job>("j");
    start();
    remove_namespace();
    EXPECT_THAT(world.all<Job>(), IsEmpty()) << "a pod that only a finalizer keeps does not delay its Job";
    EXPECT_NE(namespace_(), nullptr);
    world.erase<Pod>("n", "p");  // as the Job controller lets go of pods whose Job is gone
    loop.run_for(20s);
    EXPECT_EQ(namespace_(), nullptr);
}

TEST_F(NamespaceControllerTest, APodThatHasEndedAndIsHeldByOthersKeepsWhatPodsUse) {
    world.put<Pod>(R"({"metadata": {"name": "p", "namespace": "n", "finalizers": ["example.com/hold"]},
        "spec": {"nodeName": "node"}, "status": {"phase": "Failed"}})");
    put<ConfigMap>("c");
    start();
    remove_namespace();
    loop.run_for(60s);
    EXPECT_EQ(world.all<ConfigMap>().size(), 1u);
    EXPECT_EQ(condition("NamespaceFinalizersRemaining"),
              "True Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances");
    world.erase<Pod>("n", "p");
    loop.run_for(20s);
    EXPECT_THAT(world.all<ConfigMap>(), IsEmpty());
    EXPECT_EQ(namespace_(), nullptr);
}

TEST_F(NamespaceControllerTest, WhatIsHeldIsWaitedForAndNamed) {
    put<Job>("j", "n", "example.com/hold");
    start();
    remove_namespace();
    EXPECT_EQ(condition("NamespaceFinalizersRemaining"),
              "True Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances");
    EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
              "False All content successfully deleted, may be waiting on finalization");
    world.erase<Job>("n", "j");
    loop.run_for(10s);
    EXPECT_EQ(namespace_(), nullptr);
}

TEST_F(NamespaceControllerTest, ForegroundAndOrphanFinalizersDoNotHoldIt) {
    put<Job>("j", "n", "foregroundDeletion");
    put<Job>("k", "n", "orphan");
    start();
    remove_namespace();
    EXPECT_EQ(namespace_(), nullptr);
}

TEST_F(NamespaceControllerTest, FailuresAreToldAndTriedAgain) {
    put<Job>("j");
    start();
    world.fail("remove jobs", Code::kForbidden, 4);
    world.remove_now<Namespace>("", "n");
    loop.run_for(10ms);
    EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
              "True Failed to delete all resource types, 1 remaining: ordered to fail: remove jobs n/j Background");
    loop.run_for(10s);
    EXPECT_EQ(namespace_(), nullptr);
}

TEST_F(NamespaceControllerTest, WritesThatFailAreMadeAgain) {
    put<Job>("j");
    start();
    world.fail("status namespaces", Code::kConflict, 2);
    world.fail("finalize namespaces", Code::kUnavailable, 2);
    remove_namespace();
    EXPECT_EQ(namespace_(), nullptr);
}

// At whichever moment it goes and another of its name is made, nothing of the other's is removed.
TEST_F(NamespaceControllerTest, AnotherOfItsNameKeepsWhatIsItsOwn) {
    const auto make_another = [&] {
        if (world.find<Job>("n", "old")) world.erase<Job>("n", "old");
        if (namespace_()) world.erase<Namespace>("", "n");
        world.put<Namespace>(R"({"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]}})");
        put<Job>("new");
    };
    std::function<void(int)> make_after = [&](int turns) {
        if (turns == 0) return make_another();
        loop.post([&, turns] { make_after(turns - 1); });
    };
    start();
    for (int turns = 0; turns < 30; ++turns) {
        put<Job>("old");
        world.remove_now<Namespace>("", "n");
        make_after(turns);
        loop.run_for(60s);
        ASSERT_EQ(world.all<Job>().size(), 1u) << "after " << turns << " turns of the loop";
        world.erase<Job>("n", "new");
    }
}

TEST_F(NamespaceControllerTest, OneThatWasDeletedBeforeTheStartGoesAtTheStart) {
    put<Job>("j");
    world.remove_now<Namespace>("", "n");
    start();
    EXPECT_EQ(namespace_(), nullptr);
}

}  // namespace namespace_controller_test
}  // namespace muster::controllers
