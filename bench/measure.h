// Timing that survives a noisy machine: the things compared take turns within one run, and the median of many turns
// counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace muster::bench {

struct Contender {
    std::string name;
    std::function<void()> run;
    double nanoseconds = 0;  // median, per call
};

// Fills in `nanoseconds`.
inline void take_turns(std::vector<Contender>& contenders, int turns, int calls_per_turn) {
    std::vector<std::vector<double>> times(contenders.size());
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            const auto start = std::chrono::steady_clock::now();
            for (int call = 0; call < calls_per_turn; ++call) contenders[i].run();
            times[i].push_back(
                std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
                calls_per_turn);
        }
    }
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        std::nth_element(times[i].begin(), times[i].begin() + turns / 2, times[i].end());
        contenders[i].nanoseconds = times[i][static_cast<std::size_t>(turns) / 2];
    }
}

}  // namespace muster::bench
