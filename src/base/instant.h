// Points in time and spans between them. Values only: the clock itself is a seam in os/.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace muster {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): 30s reads as what it is

// Wall-clock time, nanoseconds since 1970 in UTC.
class Instant {
public:
    constexpr Instant() = default;
    static constexpr Instant from_unix(Duration since_epoch) { return Instant(since_epoch); }
    static constexpr Instant from_unix_seconds(std::int64_t seconds) { return Instant(std::chrono::seconds(seconds)); }

    constexpr Duration since_epoch() const { return since_epoch_; }
    constexpr std::int64_t unix_seconds() const {
        return std::chrono::floor<std::chrono::seconds>(since_epoch_).count();
    }

    constexpr Instant operator+(Duration span) const { return Instant(since_epoch_ + span); }
    constexpr Instant operator-(Duration span) const { return Instant(since_epoch_ - span); }
    constexpr Duration operator-(Instant other) const { return since_epoch_ - other.since_epoch_; }
    constexpr auto operator<=>(const Instant&) const = default;

private:
    constexpr explicit Instant(Duration since_epoch) : since_epoch_(since_epoch) {}
    Duration since_epoch_{0};
};

}  // namespace muster
