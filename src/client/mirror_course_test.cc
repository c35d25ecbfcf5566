#include "client/mirror_course.h"

#include <gtest/gtest.h>

#include <functional>

namespace muster::client {
namespace mirror_course_test {

Error behind() {
    Error error{Code::kTimeout, "Too large resource version"};
    error.causes.push_back({kVersionTooLarge, "", ""});
    return error;
}

void end_with(MirrorCourse& course, const Error& error, Duration lasted = {}) { course.watch_ended(&error, lasted); }

TEST(MirrorCourse, ListsFirstAndThenWatchesFromThere) {
    MirrorCourse course(1);
    EXPECT_TRUE(course.next().list);
    EXPECT_EQ(course.next().wait, Duration());
    course.listed("7");
    EXPECT_FALSE(course.next().list);
    EXPECT_EQ(course.next().wait, Duration());
    EXPECT_EQ(course.from(), "7");
}

TEST(MirrorCourse, WhatFollowsTheEndOfAWatch) {
    const struct {
        const char* sentence;
        std::function<void(MirrorCourse&)> end;
        bool list;
        Duration wait_min, wait_max;
    } cases[] = {
        {"a watch that the server ends is resumed at once", [](MirrorCourse& c) { c.watch_ended(nullptr, 5min); },
         false, 0s, 0s},
        {"one that ends as soon as it begins is resumed after a pause",
         [](MirrorCourse& c) { c.watch_ended(nullptr, 0s); }, false, 800ms, 1600ms},
        {"a lost connection is resumed after a pause",
         [](MirrorCourse& c) {
             end_with(c, {Code::kUnavailable, "lost"}, 5min);
         },
         false, 800ms, 1600ms},
        {"silence is resumed after a pause",
         [](MirrorCourse& c) {
             end_with(c, {Code::kTimeout, "silent"}, 5min);
         },
         false, 800ms, 1600ms},
        {"a refusal is not a reason to list",
         [](MirrorCourse& c) {
             end_with(c, {Code::kForbidden, "no"});
         },
         false, 800ms, 1600ms},
        {"an expired history is listed at once after a good watch",
         [](MirrorCourse& c) {
             end_with(c, {Code::kExpired, "410"}, 5min);
         },
         true, 0s, 0s},
        {"an expired history is listed at once the first time",
         [](MirrorCourse& c) {
             end_with(c, {Code::kExpired, "410"});
         },
         true, 0s, 0s},
        {"a history that is expired again as soon as it was listed is listed after a pause",
         [](MirrorCourse& c) {
             end_with(c, {Code::kExpired, "410"});
             c.listed("7");
             end_with(c, {Code::kExpired, "410"});
         },
         true, 800ms, 1600ms},
        {"an event that cannot be read is listed over",
         [](MirrorCourse& c) {
             end_with(c, {Code::kCorrupt, "?"}, 5min);
         },
         true, 800ms, 1600ms},
        {"a server that is behind gets a second", [](MirrorCourse& c) { end_with(c, behind(), 5min); }, true, 1s, 1s},
        {"versions that go back are listed at once", [](MirrorCourse& c) { c.went_back(); }, true, 0s, 0s},
    };
    for (const auto& each : cases) {
        MirrorCourse course(3);
        course.listed("7");
        each.end(course);
        EXPECT_EQ(course.next().list, each.list) << each.sentence;
        EXPECT_GE(course.next().wait, each.wait_min) << each.sentence;
        EXPECT_LE(course.next().wait, each.wait_max) << each.sentence;
        EXPECT_EQ(course.from(), "7") << each.sentence;
    }
}

TEST(MirrorCourse, AWatchIsResumedFromTheLastThatCame) {
    MirrorCourse course(1);
    course.listed("7");
    course.progressed("12");
    end_with(course, {Code::kUnavailable, "lost"});
    EXPECT_FALSE(course.next().list);
    EXPECT_EQ(course.from(), "12");
}

TEST(MirrorCourse, FailuresInARowAreFurtherAndFurtherApartUntilSomethingComes) {
    MirrorCourse course(1);
    Duration last{};
    for (int i = 0; i < 10; ++i) {
        course.list_failed({Code::kUnavailable, "down"});
        EXPECT_TRUE(course.next().list);
        EXPECT_LE(course.next().wait, 30s);
        EXPECT_TRUE(i >= 4 || course.next().wait > last) << i;
        last = course.next().wait;
    }
    EXPECT_EQ(last, 30s);
    course.listed("7");
    course.progressed("8");
    end_with(course, {Code::kUnavailable, "lost"});
    EXPECT_LE(course.next().wait, 1600ms);
}

}  // namespace mirror_course_test
}  // namespace muster::client
