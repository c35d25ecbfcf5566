// The two forms of a line of the log, as pure functions: `text` is klog's, `json` that of Kubernetes' component-base.
// A line is always one line: control characters are escaped. A value that is long is cut (kLogValueMax).
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "os/log/log.h"

namespace muster::os {

enum class LogFormat : std::uint8_t { kText, kJson };
// "text" or "json"; kBadRequest names what there is.
Result<LogFormat> parse_log_format(std::string_view text);

// Of a text in a field; what is beyond it is replaced by "…".
inline constexpr std::size_t kLogValueMax = 2048;

// When and where a line is written.
struct LogMoment {
    Instant at;
    Duration zone{};  // east of UTC; klog prints local time
    int process = 0;
};

// I1118 06:00:00.000000    1234 job/controller.cc:210] "Created pods" job="default/pi" count=5
std::string format_log_text(const LogRecord& record, const LogMoment& moment);
// {"ts":1763445600000.000,"level":"info","caller":"job/controller.cc:210","msg":"Created
// pods","v":2,"job":{…},"count":5}
std::string format_log_json(const LogRecord& record, const LogMoment& moment);

// "src/controllers/job/controller.cc" → "job/controller.cc"
std::string_view short_path(std::string_view file);
// As Go prints a time.Duration: "1m30.5s", "12ms", "0s".
std::string format_span(Duration span);
// As a JSON value: for the log, and for what is asked over HTTP.
void append_json_text(std::string& out, std::string_view text);
void append_json(std::string& out, const LogValue& value);
// {"key":value,…}
void append_json_object(std::string& out, std::span<const LogField> fields);

}  // namespace muster::os
