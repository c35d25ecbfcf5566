#include "controllers/unseen.h"

#include <gtest/gtest.h>

#include "api/kinds/core/pod.h"
#include "controllers/testing/fake_world.h"
#include "os/testing/virtual_loop.h"

namespace muster::controllers {
namespace unseen_test {

using api::core::Pod;

constexpr const char* kHeld =
    "{metadata: {namespace: space, name: p, deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: "
    "[example.com/held]}}";
constexpr const char* kLetGo = "{metadata: {namespace: space, name: p, deletionTimestamp: '2024-01-01T00:00:00Z'}}";

struct UnseenTest : testing::Test {
    UnseenTest() {
        world.put<Pod>(kHeld);
        mirror.start();
        loop.run_until_idle();
    }
    client::Ref<Pod> shown() const { return mirror.get({"space", "p"}); }

    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Mirror<Pod> mirror{loop, world};
    Unseen<Pod> unseen;
};

TEST_F(UnseenTest, WhatWasRemovedIsSeenOnItsWay) {
    unseen.removed(*shown());
    EXPECT_TRUE(unseen.seen_in(mirror));
}

TEST_F(UnseenTest, WhatLostItsLastFinalizerIsSeenWithoutIt) {
    Pod answered = *shown();
    answered.metadata.finalizers = {};
    unseen.wrote(answered);
    EXPECT_FALSE(unseen.seen_in(mirror)) << "it was on its way long before";
    world.put<Pod>(kLetGo);
    loop.run_until_idle();
    EXPECT_TRUE(unseen.seen_in(mirror));
}

TEST_F(UnseenTest, AVersionIsSeenWhenTheMirrorHasReachedIt) {
    Pod answered = *shown();
    answered.metadata.resource_version = std::to_string(client::parse_version(answered.metadata.resource_version) + 1);
    unseen.wrote(answered);
    EXPECT_FALSE(unseen.seen_in(mirror));
    world.put<Pod>("{metadata: {namespace: space, name: other}}");
    loop.run_until_idle();
    EXPECT_TRUE(unseen.seen_in(mirror));
}

TEST_F(UnseenTest, NewObjectsAreCountedUntilTheMirrorShowsThem) {
    const std::uint64_t version = client::parse_version(shown()->metadata.resource_version);
    for (const std::uint64_t later : {1u, 2u, 4u}) {
        Pod created = *shown();
        created.metadata.deletion_timestamp.reset();
        created.metadata.resource_version = std::to_string(version + later);
        unseen.created(created);
    }
    EXPECT_EQ(unseen.count_unseen_creations(mirror), 3u);
    world.put<Pod>("{metadata: {namespace: space, name: a}}");
    world.put<Pod>("{metadata: {namespace: space, name: b}}");
    loop.run_until_idle();
    EXPECT_EQ(unseen.count_unseen_creations(mirror), 1u);
    EXPECT_FALSE(unseen.seen_in(mirror));
    world.put<Pod>("{metadata: {namespace: space, name: c}}");
    world.put<Pod>("{metadata: {namespace: space, name: d}}");
    loop.run_until_idle();
    EXPECT_TRUE(unseen.seen_in(mirror));
    EXPECT_EQ(unseen.count_unseen_creations(mirror), 0u);
}

}  // namespace unseen_test
}  // namespace muster::controllers
