// The Job of a tick, and how ticks are written. Pure.
#pragma once

#include <string>

#include "api/kinds/batch.h"
#include "base/instant.h"
#include "controllers/cron_job/time_zone.h"

namespace muster::controllers {

// From the CronJob's template, named after the tick, owned by the CronJob; the tick is noted in that zone's time.
api::batch::Job draft_job(const api::batch::CronJob& cron, Instant scheduled_at, const TimeZone& zone);

api::core::ObjectReference reference_to(const api::batch::Job& job);

// "2024-01-01T01:00:00+01:00"
std::string format_rfc3339(Instant instant, const TimeZone& zone);
// "Mon, 01 Jan 2024 00:00:00 +0000"
std::string format_rfc1123(Instant instant);

}  // namespace muster::controllers
