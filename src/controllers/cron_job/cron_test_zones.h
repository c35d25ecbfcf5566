// Zones for the tests of CronJobs, in the database's compiled form: New York from 2023 on, and Lord Howe, whose clocks
// change by half an hour.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/cron_job/time_zone.h"

namespace muster::controllers::testing {

inline void append_number(std::string& out, std::int64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

// A TZif file of version 2: an empty part of 32 bits, then one of 64 with these changes (when, to which of the
// offsets), then the rule.
inline std::string make_tzif(const std::vector<std::pair<std::int64_t, int>>& changes,
                             const std::vector<std::int32_t>& offsets, std::string_view rule) {
    std::string out;
    const auto header = [&](std::size_t change_count, std::size_t type_count) {
        out += "TZif2";
        out.append(15, '\0');
        for (const std::size_t count :
             {std::size_t{0}, std::size_t{0}, std::size_t{0}, change_count, type_count, std::size_t{4}})
            append_number(out, static_cast<std::int64_t>(count), 4);
    };
    header(0, 1);
    out.append(6 + 4, '\0');
    header(changes.size(), offsets.size());
    for (const auto& [at, type] : changes) append_number(out, at, 8);
    for (const auto& [at, type] : changes) append_number(out, type, 1);
    for (const std::int32_t offset : offsets) {
        append_number(out, offset, 4);
        out.append(2, '\0');
    }
    out.append(4, '\0');
    return out.append("\n").append(rule).append("\n");
}

// From 2023-03-12T07:00Z on; what comes after November is left to the rule.
inline std::string new_york_tzif() {
    return make_tzif({{1678604400, 1}, {1699164000, 0}}, {-5 * 3600, -4 * 3600}, "EST5EDT,M3.2.0,M11.1.0");
}
inline std::string lord_howe_tzif() {
    return make_tzif({}, {10 * 3600 + 1800}, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
}

inline TimeZone new_york() { return TimeZone::parse(new_york_tzif()).value(); }
inline TimeZone lord_howe() { return TimeZone::parse(lord_howe_tzif()).value(); }

}  // namespace muster::controllers::testing
