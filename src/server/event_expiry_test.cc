#include "server/event_expiry.h"

#include <gtest/gtest.h>

#include "server/testing/api_objects.h"

namespace muster::server {
namespace event_expiry_test {

using api::core::Event;

struct ExpireEventsTest : testing::Test {
    ApiObjects api;
    os::TaskScope tasks{api.loop};

    std::size_t count() const { return api.store->list(list_prefix(api::kind_info<Event>(), ""))->items.size(); }
    void create(const std::string& name) {
        api.create<Event>("{metadata: {name: " + name + "}, involvedObject: {namespace: ns}}");
    }
};

TEST_F(ExpireEventsTest, WhatIsDueGoesWithinAMinute) {
    create("old");
    tasks.spawn(expire_events(api.objects, 1h));
    api.loop.run_for(30min);
    create("new");
    api.loop.run_for(29min);
    EXPECT_TRUE(api.find<Event>("old"));
    api.loop.run_for(2min);
    EXPECT_FALSE(api.find<Event>("old"));
    EXPECT_TRUE(api.find<Event>("new"));
    api.loop.run_for(30min);
    EXPECT_FALSE(api.find<Event>("new"));
    EXPECT_TRUE(api.find<api::core::Namespace>("ns")) << "nothing else goes";
}

TEST_F(ExpireEventsTest, AnEventThatHappensAgainStays) {
    create("again");
    tasks.spawn(expire_events(api.objects, 1h));
    for (int i = 0; i < 4; ++i) {
        api.loop.run_for(40min);
        ASSERT_TRUE(api.find<Event>("again"));
        const auto happen = [&](Event& event) { event.last_timestamp = api::Time::from_instant(api.loop.now()); };
        ASSERT_TRUE(api.update<Event>("again", happen).ok());
    }
    api.loop.run_for(61min);
    EXPECT_FALSE(api.find<Event>("again"));
}

TEST_F(ExpireEventsTest, WhenThereAreTooManyTheOldestGoSoon) {
    EventLimits limits;
    limits.count_max = 100;
    create("before");
    tasks.spawn(bound_events(api.objects, limits));
    for (int i = 0; i < 1000; ++i) {
        create("e" + std::to_string(1000 + i));
        api.loop.run_for(1s);
        ASSERT_LE(count(), 101u);
    }
    EXPECT_GE(count(), 90u);
    EXPECT_FALSE(api.find<Event>("before"));
    EXPECT_TRUE(api.find<Event>("e1999"));
    EXPECT_TRUE(api.find<Event>("e1950"));
}

TEST_F(ExpireEventsTest, WhenTheyAreTooLargeTheOldestGoSoon) {
    EventLimits limits;
    limits.bytes_max = 1u << 20;
    tasks.spawn(bound_events(api.objects, limits));
    for (int i = 0; i < 100; ++i) {
        api.create<Event>("{metadata: {name: e" + std::to_string(i) +
                          "}, involvedObject: {namespace: ns}, message: " + std::string(100'000, 'x') + "}");
        api.loop.run_for(1s);
        ASSERT_LE(count(), 11u);
    }
    EXPECT_GE(count(), 9u);
    // What grows by being written again counts, too.
    for (int i = 0; i < 5; ++i) {
        const auto grow = [](Event& event) { event.message = std::string(400'000, 'y'); };
        (void)api.update<Event>("e" + std::to_string(95 + i), grow);
    }
    api.loop.run_for(1s);
    EXPECT_LE(count(), 5u);
    EXPECT_TRUE(api.find<Event>("e99"));
}

TEST_F(ExpireEventsTest, ManyThatComeInOneBurstAreBounded) {
    EventLimits limits;
    limits.count_max = 100;
    tasks.spawn(bound_events(api.objects, limits));
    for (int i = 0; i < 5000; ++i) create("e" + std::to_string(10'000 + i));
    api.loop.run_for(5s);
    EXPECT_LE(count(), 100u);
    EXPECT_GE(count(), 90u);
}

TEST_F(ExpireEventsTest, ManyGoWithoutHoldingTheLoop) {
    for (int i = 0; i < 1200; ++i) create("e" + std::to_string(i));
    api.loop.run_for(2h);
    tasks.spawn(expire_events(api.objects, 1h));
    bool had_a_turn = false;
    api.loop.post([&] {
        const auto left = api.store->list(list_prefix(api::kind_info<Event>(), ""))->items.size();
        had_a_turn = left > 0;
    });
    api.loop.run_until_idle();
    EXPECT_TRUE(had_a_turn);
    EXPECT_TRUE(api.store->list(list_prefix(api::kind_info<Event>(), ""))->items.empty());
}

}  // namespace event_expiry_test
}  // namespace muster::server
