// The log of the product: puts lines into their form and gives them to a writer. Each place that logs has a rate of its
// own, so that one problem that happens a thousand times a second neither fills a disk nor hides the others: the next
// line of a place says how many were left out (`suppressed`), and the next line after a jam how many did not fit
// (`lost`).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "os/log/log.h"
#include "os/log/log_format.h"

namespace muster::os {

// Of one place: so many at once, and then so many a second.
struct LogRate {
    double burst;
    double per_second;
};
// Of problems, and of what is told beside them.
inline constexpr LogRate kProblemLogRate{.burst = 100, .per_second = 10};
inline constexpr LogRate kInfoLogRate{.burst = 2000, .per_second = 500};
LogRate log_rate_for(const LogRecord& record);

struct LoggerOptions {
    LogFormat format = LogFormat::kText;
    int process = 0;
    std::function<Instant()> now;                // wall-clock time
    std::function<Duration()> uptime;            // of a clock that never jumps
    std::function<Duration(Instant)> zone = {};  // east of UTC at that time; UTC when not given
};
// Those of this process: its clocks, its zone, its number.
LoggerOptions real_logger_options(LogFormat format);

class Logger final : public Log {
public:
    // Takes a line with its end. False: there is no room, and the line is lost.
    using Out = std::function<bool(std::string line)>;
    Logger(LoggerOptions options, Out out);

    void write(const LogRecord& record) override;

private:
    struct Site {
        double tokens;
        Duration filled_at;
        std::uint64_t suppressed = 0;
    };
    bool admit(Site& site, LogRate rate) const;

    const LoggerOptions options_;
    const Out out_;
    std::unordered_map<const LogSite*, Site> sites_;
    std::uint64_t lost_ = 0;
};

}  // namespace muster::os
