#include "node/keeper/start_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::node {
namespace start_line_test {

using testing::ElementsAre;
using testing::IsEmpty;

RunKey key_of(int number, const char* pod = "u") { return {pod, "c" + std::to_string(number), 0}; }

RunRequest request_of(const RunKey& key) {
    RunRequest request;
    request.key = key;
    return request;
}

std::vector<std::string> names_of(const std::vector<RunRequest>& group) {
    std::vector<std::string> names;
    for (const RunRequest& request : group) names.push_back(request.key.container.str());
    return names;
}

TEST(StartLine, StartsLeaveInTheOrderInWhichTheyCame) {
    StartLine line;
    for (const int number : {2, 1, 3}) EXPECT_TRUE(line.add(request_of(key_of(number))));
    EXPECT_THAT(names_of(line.take_group()), ElementsAre("c2", "c1", "c3"));
    EXPECT_EQ(line.under_way(), 3u);
    EXPECT_THAT(line.take_group(), IsEmpty());
}

TEST(StartLine, AKeyIsInTheLineOnce) {
    StartLine line;
    EXPECT_TRUE(line.add(request_of(key_of(1))));
    EXPECT_FALSE(line.add(request_of(key_of(1)))) << "it waits";
    (void)line.take_group();
    EXPECT_FALSE(line.add(request_of(key_of(1)))) << "it is under way";
    (void)line.finish(key_of(1));
    EXPECT_TRUE(line.add(request_of(key_of(1))));
}

TEST(StartLine, HowManyMayBeUnderWay) {
    constexpr std::size_t kMax = StartLine::kUnderWayMax;
    const struct {
        const char* sentence;
        std::size_t under_way;
        std::size_t waiting;
        std::size_t taken;
    } cases[] = {
        {"all that wait, when nothing is under way", 0, 10, 10},
        {"as many as may be", 0, kMax + 1, kMax},
        {"up to the limit, when half of it is under way", kMax / 2, kMax, kMax / 2},
        {"none, when more than half is under way", kMax / 2 + 1, kMax, 0},
        {"none, when the limit is reached", kMax, 5, 0},
    };
    for (const auto& one : cases) {
        StartLine line;
        int number = 0;
        for (std::size_t i = 0; i < one.under_way; ++i) line.add(request_of(key_of(number++)));
        EXPECT_EQ(line.take_group().size(), one.under_way) << one.sentence;
        for (std::size_t i = 0; i < one.waiting; ++i) line.add(request_of(key_of(number++)));
        EXPECT_EQ(line.take_group().size(), one.taken) << one.sentence;
        EXPECT_EQ(line.under_way(), one.under_way + one.taken) << one.sentence;
    }
}

TEST(StartLine, SignalsWaitForTheRunToBegin) {
    StartLine line;
    EXPECT_FALSE(line.signal(key_of(1), 15)) << "it is not in the line";
    line.add(request_of(key_of(1)));
    EXPECT_TRUE(line.signal(key_of(1), 15));
    (void)line.take_group();
    StartBoard::Place place;
    line.set_place(key_of(1), &place);
    EXPECT_TRUE(line.signal(key_of(1), 9));
    const StartLine::Starting begun = line.finish(key_of(1));
    EXPECT_THAT(begun.signals, ElementsAre(15, 9));
    EXPECT_EQ(begun.place, &place);
    EXPECT_TRUE(line.empty());
}

TEST(StartLine, AForgottenPodStartsNothingMore) {
    StartLine line;
    for (int number = 0; number < 40; ++number) line.add(request_of(key_of(number, "gone")));
    (void)line.take_group();
    line.add(request_of(key_of(40, "gone")));
    line.add(request_of(key_of(1, "stays")));
    line.forget("gone");
    EXPECT_EQ(line.under_way(), 40u) << "starts that are under way cannot be taken back";
    EXPECT_FALSE(line.add(request_of(key_of(0, "gone")))) << "and are known until they have ended";
    for (int number = 0; number < 40; ++number) (void)line.finish(key_of(number, "gone"));
    EXPECT_THAT(names_of(line.take_group()), ElementsAre("c1"));
}

TEST(StartLine, TheStartsThatOnlyWaitAreDroppedTogether) {
    StartLine line;
    for (int number = 0; number < 40; ++number) line.add(request_of(key_of(number)));
    (void)line.take_group();
    line.add(request_of(key_of(40)));
    line.forget_waiting();
    EXPECT_EQ(line.under_way(), 40u);
    EXPECT_FALSE(line.add(request_of(key_of(0)))) << "starts that are under way stay";
    EXPECT_TRUE(line.add(request_of(key_of(40)))) << "a start that was dropped may be asked for again";
}

TEST(StartLineDeathTest, WhatCannotBeEndsTheProcess) {
    StartLine line;
    line.add(request_of(key_of(1)));
    EXPECT_DEATH((void)line.finish(key_of(2)), "a start ends once");
    EXPECT_DEATH((void)line.finish(key_of(1)), "a start that waits cannot have ended");
}

}  // namespace start_line_test
}  // namespace muster::node
