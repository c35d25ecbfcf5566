// Points in time and spans between them. Values only: the clock itself is a seam in os/.
// Times and numbers of seconds in stored objects may be any: arithmetic stops at the earliest and latest instant and at
// the longest span (292 years) instead of overflowing. Spans are added to each other with add_sat and sub_sat where one
// of them comes from a stored object.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

#include "base/saturate.h"

namespace muster {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): 30s reads as what it is

// The same span in nanoseconds.
template <std::integral Rep, typename Period>
constexpr Duration duration_sat(std::chrono::duration<Rep, Period> span) {
    using Factor = std::ratio_divide<Period, Duration::period>;
    static_assert(Factor::den == 1, "a unit finer than nanoseconds");
    return Duration(mul_sat(saturate_cast<Duration::rep>(span.count()), Factor::num));
}
constexpr Duration seconds_sat(std::int64_t count) { return duration_sat(std::chrono::seconds(count)); }

constexpr Duration add_sat(Duration left, Duration right) { return Duration(add_sat(left.count(), right.count())); }
constexpr Duration sub_sat(Duration left, Duration right) { return Duration(sub_sat(left.count(), right.count())); }
constexpr Duration mul_sat(Duration span, Duration::rep factor) { return Duration(mul_sat(span.count(), factor)); }

// Wall-clock time, nanoseconds since 1970 in UTC.
class Instant {
public:
    constexpr Instant() = default;
    static constexpr Instant from_unix(Duration since_epoch) { return Instant(since_epoch); }
    static constexpr Instant from_unix_seconds(std::int64_t seconds) { return Instant(seconds_sat(seconds)); }
    static constexpr Instant min() { return Instant(Duration::min()); }
    static constexpr Instant max() { return Instant(Duration::max()); }

    constexpr Duration since_epoch() const { return since_epoch_; }
    constexpr std::int64_t unix_seconds() const {
        return std::chrono::floor<std::chrono::seconds>(since_epoch_).count();
    }

    // Spans of any unit: seconds turned into nanoseconds before the call would overflow.
    template <std::integral Rep, typename Period>
    constexpr Instant operator+(std::chrono::duration<Rep, Period> span) const {
        return Instant(add_sat(since_epoch_, duration_sat(span)));
    }
    template <std::integral Rep, typename Period>
    constexpr Instant operator-(std::chrono::duration<Rep, Period> span) const {
        return Instant(sub_sat(since_epoch_, duration_sat(span)));
    }
    constexpr Duration operator-(Instant other) const { return sub_sat(since_epoch_, other.since_epoch_); }
    constexpr auto operator<=>(const Instant&) const = default;

private:
    constexpr explicit Instant(Duration since_epoch) : since_epoch_(since_epoch) {}
    Duration since_epoch_{0};
};

}  // namespace muster
