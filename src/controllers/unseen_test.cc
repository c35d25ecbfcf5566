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

}  // namespace unseen_test
}  // namespace muster::controllers
