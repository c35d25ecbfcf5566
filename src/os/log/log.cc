#include "os/log/log.h"

#include <mutex>
#include <utility>

#include "os/log/log_format.h"

namespace muster::os {
namespace {

// Held while a line is written, so that a log is not destroyed under the thread that writes to it.
std::mutex& log_mutex() {
    static std::mutex mutex;
    return mutex;
}
Log* installed_log = nullptr;

}  // namespace

LogValue::LogValue(Duration span) : held_(format_span(span)) {}

InstalledLog::InstalledLog(Log& log, int verbosity) : verbosity_before_(detail::log_verbosity.load()) {
    std::lock_guard lock(log_mutex());
    before_ = std::exchange(installed_log, &log);
    detail::log_verbosity = verbosity;
}

InstalledLog::~InstalledLog() {
    std::lock_guard lock(log_mutex());
    installed_log = before_;
    detail::log_verbosity = verbosity_before_;
}

void log_line(LogLevel level, int verbosity, const LogSite& site, std::string_view message,
              std::initializer_list<LogField> fields) {
    std::lock_guard lock(log_mutex());
    if (!installed_log) return;
    installed_log->write({.level = level,
                          .verbosity = verbosity,
                          .site = &site,
                          .message = message,
                          .fields = std::span<const LogField>(fields.begin(), fields.size())});
}

}  // namespace muster::os
