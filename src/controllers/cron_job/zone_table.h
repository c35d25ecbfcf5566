// The time zones that CronJobs name, read once each. Names of no zone are not remembered: there is no end of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "controllers/cron_job/time_zone.h"

namespace muster::controllers {

// A zone's TZif bytes by its name.
using ReadZone = std::function<Result<std::string>(std::string_view name)>;

class ZoneTable {
public:
    // Without a reader only UTC is known.
    explicit ZoneTable(ReadZone read = {}) : read_(std::move(read)) {}

    // Null when there is no such zone; otherwise good as long as the table. UTC for an empty name.
    const TimeZone* find(std::string_view name);

private:
    ReadZone read_;
    TimeZone utc_;
    std::map<std::string, TimeZone, std::less<>> zones_;
};

}  // namespace muster::controllers
