// A time zone: the offset from UTC at a given time. Parsed from the bytes of a compiled IANA file (TZif, RFC 8536),
// which the caller reads; pure. After the last transition in the file, the rule in its footer applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace muster::controllers {

// A day of every year on which clocks change, and when on it.
struct YearlyChange {
    enum class Day { kWeekday, kJulian, kZeroBased } day = Day::kWeekday;
    int month = 0;    // kWeekday: 1 to 12
    int week = 0;     // kWeekday: 1 to 5, 5 being the last
    int weekday = 0;  // kWeekday: from Sunday, which is 0
    int number = 0;   // kJulian: 1 to 365, never counting 29 February; kZeroBased: 0 to 365, counting it
    std::int32_t seconds = 2 * 3600;  // after midnight, by the clocks before the change; may be negative or above a day
};

// "CET-1CEST,M3.5.0,M10.5.0/3": the footer's form.
struct ZoneRule {
    std::int32_t standard_offset = 0;  // seconds east of UTC
    std::int32_t summer_offset = 0;
    std::optional<YearlyChange> begins{};  // summer time; none: never
    std::optional<YearlyChange> ends{};

    // Fails with kCorrupt.
    static Result<ZoneRule> parse(std::string_view text);
    std::int32_t offset_at(std::int64_t unix_seconds) const;
};

class TimeZone {
public:
    // UTC.
    TimeZone() = default;
    // Fails with kCorrupt when the bytes are no TZif file.
    static Result<TimeZone> parse(std::string_view tzif);

    // Seconds east of UTC.
    std::int32_t offset_at(Instant instant) const;

private:
    struct Change {
        std::int64_t at;
        std::int32_t offset;
    };
    std::int32_t first_offset_ = 0;
    std::vector<Change> changes_;
    std::optional<ZoneRule> rule_;
};

}  // namespace muster::controllers
