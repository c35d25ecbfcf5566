// How a pod whose containers are simulated says how long they run and how they end: by its annotations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/map.h"
#include "base/prng.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::node {

// "2s", "150ms", "1m", or "1s-5s" for something between, evenly. A second when it is not there.
inline constexpr const char* kSimulatedDuration = "simulation.muster.dev/duration";
// "3", or "0:9,1:1" for one of several by weight: here 1 in one of ten runs. 0 when it is not there.
inline constexpr const char* kSimulatedExitCode = "simulation.muster.dev/exit-code";
inline constexpr Duration kSimulatedDurationDefault = 1s;

struct SimulatedSpan {
    Duration least = kSimulatedDurationDefault;
    Duration most = kSimulatedDurationDefault;
    bool operator==(const SimulatedSpan&) const = default;
};
struct SimulatedCode {
    int code = 0;
    std::uint64_t weight = 1;
    bool operator==(const SimulatedCode&) const = default;
};
// Both fail with kBadRequest and a sentence.
Result<SimulatedSpan> parse_simulated_duration(std::string_view text);
Result<std::vector<SimulatedCode>> parse_simulated_exit_code(std::string_view text);

struct Simulation {
    SimulatedSpan span{};
    std::vector<SimulatedCode> codes{SimulatedCode()};
    std::vector<std::string>
        problems{};  // an annotation that cannot be read: what is taken instead of it is the default

    Duration draw_duration(Prng& prng) const;
    int draw_code(Prng& prng) const;
};
Simulation read_simulation(const Map<Text>& annotations);

}  // namespace muster::node
