#include "server/event_expiry.h"

#include <gtest/gtest.h>

#include "server/testing/api_objects.h"

namespace muster::server {
namespace {

using api::core::Event;

const Instant kNoon = api::Time::parse("2024-01-02T12:00:00Z").value().instant();

TEST(EventExpiry, AnEventIsDueAnHourAfterItLastHappened) {
    struct Case {
        const char* name;
        const char* event;
        bool due;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"just made", "metadata: {creationTimestamp: '2024-01-02T12:00:00Z'}", false},
             {"made a second less than an hour ago", "metadata: {creationTimestamp: '2024-01-02T11:00:01Z'}", false},
             {"made an hour ago", "metadata: {creationTimestamp: '2024-01-02T11:00:00Z'}", true},
             {"seen since",
              "{metadata: {creationTimestamp: '2024-01-02T10:00:00Z'}, lastTimestamp: '2024-01-02T11:30:00Z'}", false},
             {"happened since",
              "{metadata: {creationTimestamp: '2024-01-02T10:00:00Z'}, eventTime: '2024-01-02T11:30:00.000000Z'}",
              false},
             {"repeated since",
              "{metadata: {creationTimestamp: '2024-01-02T10:00:00Z'}, eventTime: '2024-01-02T10:00:00.000000Z', "
              "series: {count: 3, lastObservedTime: '2024-01-02T11:30:00.000000Z'}}",
              false},
             {"repeated long ago",
              "{metadata: {creationTimestamp: '2024-01-02T10:00:00Z'}, "
              "series: {count: 3, lastObservedTime: '2024-01-02T10:30:00.000000Z'}}",
              true},
             {"told late of what happened early",
              "{metadata: {creationTimestamp: '2024-01-02T11:30:00Z'}, lastTimestamp: '2024-01-01T00:00:00Z'}", false},
             {"said to happen in the future",
              "{metadata: {creationTimestamp: '2024-01-02T10:00:00Z'}, lastTimestamp: '2124-01-02T11:30:00Z'}", true},
         }) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(is_event_due(api::from_yaml<Event>(one.event).value(), kNoon), one.due);
    }
}

struct ExpireEventsTest : testing::Test {
    ApiObjects api;
    os::TaskScope tasks{api.loop};

    void create(const std::string& name) {
        api.create<Event>("{metadata: {name: " + name + "}, involvedObject: {namespace: ns}}");
    }
};

TEST_F(ExpireEventsTest, WhatIsDueGoesWithinAMinute) {
    create("old");
    tasks.spawn(expire_events(api.objects));
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
    tasks.spawn(expire_events(api.objects));
    for (int i = 0; i < 4; ++i) {
        api.loop.run_for(40min);
        ASSERT_TRUE(api.find<Event>("again"));
        const auto happen = [&](Event& event) { event.last_timestamp = api::Time::from_instant(api.loop.now()); };
        ASSERT_TRUE(api.update<Event>("again", happen).ok());
    }
    api.loop.run_for(61min);
    EXPECT_FALSE(api.find<Event>("again"));
}

TEST_F(ExpireEventsTest, ManyGoWithoutHoldingTheLoop) {
    for (int i = 0; i < 1200; ++i) create("e" + std::to_string(i));
    api.loop.run_for(2h);
    tasks.spawn(expire_events(api.objects));
    bool had_a_turn = false;
    api.loop.post([&] {
        const auto left = api.store->list(list_prefix(api::kind_info<Event>(), ""))->items.size();
        had_a_turn = left > 0;
    });
    api.loop.run_until_idle();
    EXPECT_TRUE(had_a_turn);
    EXPECT_TRUE(api.store->list(list_prefix(api::kind_info<Event>(), ""))->items.empty());
}

}  // namespace
}  // namespace muster::server
