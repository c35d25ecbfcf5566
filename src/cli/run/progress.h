// How far work has come, as one line that fits its terminal, and how long it may still take. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/instant.h"

namespace muster::cli {

struct Progress {
    std::string name{};
    std::optional<std::int64_t> total{};  // nothing: the work itself knows when it ends
    std::int64_t done = 0;
    std::int64_t running = 0;
    std::int64_t failed = 0;
    double rate = 0;  // done in a second; 0 when it is not known
    bool operator==(const Progress&) const = default;
};

// "primes  37/100 done, 8 running, 2 failed, 12/s, 5s left".
std::string format_progress(const Progress& progress);
// The same with a bar behind the name. What does not fit `width` goes, the bar first; no line is longer than that.
std::string format_progress(const Progress& progress, int width);

// "85ms", "5s", "2m10s", "3h05m", "4d06h".
std::string format_span(Duration span);

// How fast something is done lately: over the last seconds, so that a change of pace shows.
class Pace {
public:
    // In the order of time.
    void add(Duration at, std::int64_t done);
    // In a second; 0 until something was done within the window.
    double rate() const;

private:
    static constexpr Duration kWindow = 15s;
    struct Sample {
        Duration at;
        std::int64_t done;
    };
    std::deque<Sample> samples_;
};

}  // namespace muster::cli
