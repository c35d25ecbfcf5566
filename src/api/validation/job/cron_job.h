// The rules a CronJob must keep when it is created and changed. Its status has none.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/batch.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// Whether the machine's time zone database has a zone of that name. Only asked for names of the right form, which
// cannot leave the database's directory.
using KnowsTimeZone = std::function<bool(std::string_view name)>;

FieldErrors validate_cron_job_create(const batch::CronJob& cron_job, const KnowsTimeZone& knows_time_zone);
// A time zone that was there before is not asked for again, and a schedule that had a time zone in it may keep it.
FieldErrors validate_cron_job_update(const batch::CronJob& cron_job, const batch::CronJob& old,
                                     const KnowsTimeZone& knows_time_zone);

// Parts of letters, digits and "._-+" between slashes, each of 1 to 14 characters, none of them a step upwards.
bool is_time_zone_name(std::string_view name);

// What is allowed but will surprise. `old` is null on create.
std::vector<std::string> cron_job_warnings(const batch::CronJob& cron_job, const batch::CronJob* old);

}  // namespace muster::api
