#include "node/simulated/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace muster::node {
namespace simulation_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Simulation, ReadsSpansOfTime) {
    struct {
        const char* text;
        SimulatedSpan expected;
    } const cases[] = {
        {"2s", {2s, 2s}}, {"150ms", {150ms, 150ms}}, {"1m", {60s, 60s}},
        {"0s", {0s, 0s}}, {"1s-5s", {1s, 5s}},       {"500ms-1m", {500ms, 60s}},
    };
    for (const auto& each : cases) EXPECT_EQ(parse_simulated_duration(each.text).value(), each.expected) << each.text;
    for (const char* text : {"", "2", "s", "-1s", "1s-", "5s-1s", "1h", "1.5s", "1s ", "1s-2s-3s", "9999999999s"})
        EXPECT_FALSE(parse_simulated_duration(text).ok()) << text;
}

TEST(Simulation, ReadsExitCodesAndTheirWeights) {
    EXPECT_THAT(parse_simulated_exit_code("3").value(), ElementsAre(SimulatedCode{3, 1}));
    EXPECT_THAT(parse_simulated_exit_code("0:9,1:1").value(), ElementsAre(SimulatedCode{0, 9}, SimulatedCode{1, 1}));
    EXPECT_THAT(parse_simulated_exit_code("7:2").value(), ElementsAre(SimulatedCode{7, 2}));
    for (const char* text : {"", "x", "-1", "256", "1 ", "1,2", "0:1,2", "0:9,", "0:", ":1", "0:0,1:0", "0:-1"})
        EXPECT_FALSE(parse_simulated_exit_code(text).ok()) << text;
}

TEST(Simulation, DrawsWhatItWasToldAndTheSameForTheSameSeed) {
    Map<Text> annotations;
    annotations.set(kSimulatedDuration, "1s-3s");
    annotations.set(kSimulatedExitCode, "0:8,4:2,9:0");
    const Simulation simulation = read_simulation(annotations);
    Prng one(5);
    Prng same(5);
    std::map<int, int> codes;
    Duration least = 1h;
    Duration most{};
    for (int i = 0; i < 1000; ++i) {
        const Duration lasts = simulation.draw_duration(one);
        const int code = simulation.draw_code(one);
        EXPECT_EQ(simulation.draw_duration(same), lasts);
        EXPECT_EQ(simulation.draw_code(same), code);
        least = std::min(least, lasts);
        most = std::max(most, lasts);
        ++codes[code];
    }
    EXPECT_GE(least, 1s);
    EXPECT_LE(most, 3s);
    EXPECT_LT(least, 1100ms);
    EXPECT_GT(most, 2900ms);
    EXPECT_EQ(codes.size(), 2u);
    EXPECT_NEAR(codes[4], 200, 50);
}

TEST(Simulation, WhatCannotBeReadIsToldAndTheDefaultTaken) {
    Map<Text> annotations;
    EXPECT_THAT(read_simulation(annotations).problems, IsEmpty());
    annotations.set(kSimulatedDuration, "soon");
    annotations.set(kSimulatedExitCode, "bad");
    const Simulation simulation = read_simulation(annotations);
    Prng prng(1);
    EXPECT_EQ(simulation.draw_duration(prng), kSimulatedDurationDefault);
    EXPECT_EQ(simulation.draw_code(prng), 0);
    EXPECT_THAT(simulation.problems, ElementsAre(HasSubstr("duration: \"soon\" is no span of time"),
                                                 HasSubstr("exit-code: \"bad\" is no exit code")));
}

}  // namespace simulation_test
}  // namespace muster::node
