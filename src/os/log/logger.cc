#include "os/log/logger.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace muster::os {
namespace {

Duration local_zone(Instant at) {
    const auto seconds = static_cast<time_t>(at.unix_seconds());
    tm local{};
    return ::localtime_r(&seconds, &local) ? Duration(std::chrono::seconds(local.tm_gmtoff)) : Duration();
}

}  // namespace

LogRate log_rate_for(const LogRecord& record) {
    return record.level == LogLevel::kInfo ? kInfoLogRate : kProblemLogRate;
}

LoggerOptions real_logger_options(LogFormat format) {
    return {.format = format,
            .process = static_cast<int>(::getpid()),
            .now = [] { return Instant::from_unix(std::chrono::system_clock::now().time_since_epoch()); },
            .uptime = [] { return Duration(std::chrono::steady_clock::now().time_since_epoch()); },
            .zone = &local_zone};
}

Logger::Logger(LoggerOptions options, Out out) : options_(std::move(options)), out_(std::move(out)) {}

bool Logger::admit(Site& site, LogRate rate) const {
    const Duration now = options_.uptime();
    const double seconds = std::chrono::duration<double>(now - site.filled_at).count();
    site.tokens = std::min(rate.burst, site.tokens + seconds * rate.per_second);
    site.filled_at = now;
    if (site.tokens < 1) return false;
    site.tokens -= 1;
    return true;
}

void Logger::write(const LogRecord& record) {
    const LogRate rate = log_rate_for(record);
    Site& site = sites_.try_emplace(record.site, Site{rate.burst, options_.uptime()}).first->second;
    if (!admit(site, rate)) {
        ++site.suppressed;
        return;
    }
    std::vector<LogField> fields(record.fields.begin(), record.fields.end());
    if (site.suppressed > 0) fields.push_back({"suppressed", site.suppressed});
    if (lost_ > 0) fields.push_back({"lost", lost_});
    LogRecord told = record;
    told.fields = fields;
    const Instant now = options_.now();
    const LogMoment moment{now, options_.zone ? options_.zone(now) : Duration(), options_.process};
    std::string line =
        options_.format == LogFormat::kJson ? format_log_json(told, moment) : format_log_text(told, moment);
    line += '\n';
    if (!out_(std::move(line))) {
        ++lost_;
        return;
    }
    site.suppressed = 0;
    lost_ = 0;
}

}  // namespace muster::os
