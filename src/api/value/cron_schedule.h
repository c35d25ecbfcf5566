// A CronJob's schedule: five fields of minutes, hours, days, months and weekdays, a name such as @daily, or @every with
// a duration. Pure. Time zones are handled by the caller.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace muster::api {

struct CronSchedule {
    // Bit i says that value i matches. All zero for @every.
    std::uint64_t minutes = 0;
    std::uint64_t hours = 0;
    std::uint64_t days = 0;      // of the month, from 1
    std::uint64_t months = 0;    // from 1
    std::uint64_t weekdays = 0;  // from Sunday, which is 0
    // Written as * or ?. One that is left open leaves the choice to the other; when neither is, a day that matches one
    // of the two does.
    bool any_day = false;
    bool any_weekday = false;
    Duration every{};  // of @every, at least a second; zero otherwise

    // Fails with kInvalid and a sentence in the API's words. A leading "TZ=Zone " or "CRON_TZ=Zone " is stepped over.
    static Result<CronSchedule> parse(std::string_view text);

    bool operator==(const CronSchedule&) const = default;
};

}  // namespace muster::api
