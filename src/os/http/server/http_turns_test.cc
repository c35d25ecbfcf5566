#include "os/http/server/http_turns.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace http_turns_test {

// Flow and connection of each, in the order in which they were added; then the connections in the order of turns.
struct Case {
    const char* name;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> added;
    std::vector<std::uint64_t> taken;
};

TEST(HttpTurns, OrderOfTurns) {
    const std::vector<Case> cases{
        {"nothing waits", {}, {}},
        {"one flow keeps its order", {{1, 10}, {1, 11}, {1, 12}}, {10, 11, 12}},
        {"a light flow waits for one piece of a flood", {{1, 10}, {1, 11}, {1, 12}, {2, 20}}, {10, 20, 11, 12}},
        {"each flow once per round", {{1, 10}, {1, 11}, {2, 20}, {2, 21}, {3, 30}}, {10, 20, 30, 11, 21}},
    };
    for (const Case& each : cases) {
        HttpTurns turns;
        for (const auto& [flow, connection] : each.added)
            turns.add(flow, {HttpTurn::Kind::kReceive, connection, nullptr});
        std::vector<std::uint64_t> taken;
        while (const auto turn = turns.next()) taken.push_back(turn->connection);
        EXPECT_EQ(taken, each.taken) << each.name;
        EXPECT_TRUE(turns.empty()) << each.name;
    }
}

TEST(HttpTurns, WhatComesMeanwhileIsBehindItsOwnFlowOnly) {
    HttpTurns turns;
    for (std::uint64_t i = 0; i < 1000; ++i) turns.add(1, {HttpTurn::Kind::kReceive, i, nullptr});
    ASSERT_EQ(turns.next()->connection, 0u);
    turns.add(2, {HttpTurn::Kind::kReceive, 5000, nullptr});
    EXPECT_EQ(turns.next()->connection, 1u);
    EXPECT_EQ(turns.next()->connection, 5000u);
}

}  // namespace http_turns_test
}  // namespace muster::os
