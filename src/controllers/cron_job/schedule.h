// The times of a cron schedule in a time zone. A time that clocks skip does not come; one that they show twice comes
// twice. As Kubernetes' cron library does. Pure.
#pragma once

#include <optional>

#include "api/value/cron_schedule.h"
#include "base/instant.h"
#include "controllers/cron_job/time_zone.h"

namespace muster::controllers {

// The first time after `after`, in whole seconds. None when there is none in five years: the 31st of February.
std::optional<Instant> next_time(const api::CronSchedule& schedule, const TimeZone& zone, Instant after);

// The times after `since`, up to and including `now`.
struct UnmetTimes {
    std::optional<Instant> latest{};
    int count = 0;  // counted up to kManyMissed + 1
};
inline constexpr int kManyMissed = 100;
UnmetTimes unmet_times(const api::CronSchedule& schedule, const TimeZone& zone, Instant since, Instant now);

}  // namespace muster::controllers
