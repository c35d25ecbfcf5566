#include "server/event_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::server {
namespace event_limits_test {

using api::core::Event;
using testing::ElementsAre;
using testing::IsEmpty;

const Instant kNoon = api::Time::parse("2024-01-02T12:00:00Z").value().instant();

TEST(EventLimits, AnEventIsDueAnHourAfterItLastHappened) {
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
        EXPECT_EQ(is_event_due(api::from_yaml<Event>(one.event).value(), kNoon, 1h), one.due);
    }
}

// Of "a:Started@3": object, reason and minutes after an hour before noon.
std::vector<Event> events_of(const std::vector<std::string>& texts) {
    std::vector<Event> events;
    for (const std::string& text : texts) {
        const std::size_t colon = text.find(':');
        const std::size_t at = text.find('@');
        Event& event = events.emplace_back();
        event.involved_object.uid = text.substr(0, colon);
        event.reason = text.substr(colon + 1, at - colon - 1);
        event.last_timestamp = api::Time::from_instant(kNoon - 1h + std::stoi(text.substr(at + 1)) * 1min);
    }
    return events;
}

std::vector<std::size_t> removed(const std::vector<std::string>& texts, const EventLimits& limits) {
    const std::vector<Event> events = events_of(texts);
    std::vector<EventView> views;
    for (const Event& event : events) views.push_back(view_of(event, 100, kNoon));
    return decide_events_to_remove(views, limits);
}

TEST(EventLimits, OlderEventsGoFirstAndTheNewestOfEachObjectAndReasonLast) {
    constexpr std::size_t kMuch = 1'000'000;
    EXPECT_THAT(removed({"a:x@1", "a:x@2"}, {1h, 2, kMuch}), IsEmpty()) << "as many as there may be";
    EXPECT_THAT(removed({"a:x@1", "a:x@2"}, {1h, 2, 200}), IsEmpty());
    EXPECT_THAT(removed({"a:x@3", "b:x@1", "c:x@2"}, {1h, 2, kMuch}), ElementsAre(1)) << "the oldest";
    EXPECT_THAT(removed({"a:x@1", "b:x@3", "b:x@2"}, {1h, 2, kMuch}), ElementsAre(2))
        << "a newer one that was told again goes before the only one of another object";
    EXPECT_THAT(removed({"a:x@1", "b:y@2", "b:x@3"}, {1h, 2, kMuch}), ElementsAre(0)) << "another reason is another";
    EXPECT_THAT(removed({"a:x@1", "b:x@4", "b:x@2", "c:x@3", "b:x@5"}, {1h, 2, kMuch}), ElementsAre(2, 1, 0));
    EXPECT_THAT(removed({"a:x@1", "b:x@2", "c:x@3"}, {1h, 10, 200}), ElementsAre(0, 1))
        << "by bytes, with some to spare";
}

TEST(EventLimits, FlagsThatMakeNoSenseAreNamed) {
    const EventLimits limits = parse_event_limits("30m", 7, "1Mi").value();
    EXPECT_EQ(limits.life, 30min);
    EXPECT_EQ(limits.count_max, 7u);
    EXPECT_EQ(limits.bytes_max, 1u << 20);
    struct Case {
        const char* life;
        int count;
        const char* bytes;
        const char* flag;
    };
    for (const Case& one : std::initializer_list<Case>{{"soon", 1, "1Mi", "--event-ttl"},
                                                       {"0s", 1, "1Mi", "--event-ttl"},
                                                       {"1h", 0, "1Mi", "--events-max-count"},
                                                       {"1h", 1, "much", "--events-max-size"},
                                                       {"1h", 1, "-1", "--events-max-size"}}) {
        const auto refused = parse_event_limits(one.life, one.count, one.bytes);
        ASSERT_FALSE(refused.ok());
        EXPECT_THAT(refused.error().message, testing::StartsWith(one.flag));
    }
}

TEST(EventLimits, ATenthIsFreeAfterwards) {
    std::vector<std::string> texts;
    for (int i = 0; i < 101; ++i) texts.push_back("o" + std::to_string(i) + ":x@0");
    EXPECT_EQ(removed(texts, {1h, 100, 1'000'000}).size(), 11u);
}

}  // namespace event_limits_test
}  // namespace muster::server
