// The log of this process, on standard error: made when the command line is known, and the last thing to go. What was
// logged before a failed CHECK is still written.
#pragma once

#include "cli/log_flags.h"
#include "os/log/log_writer.h"
#include "os/log/logger.h"

namespace muster {

class ProcessLog {
public:
    explicit ProcessLog(const cli::LogOptions& options);
    ~ProcessLog();
    ProcessLog(const ProcessLog&) = delete;
    ProcessLog& operator=(const ProcessLog&) = delete;

private:
    os::LogWriter writer_;
    os::Logger logger_;
    os::InstalledLog installed_;
};

}  // namespace muster
