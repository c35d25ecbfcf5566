// The flags of every verb that say what is logged: --v and --log-format. The log itself is main's.
#pragma once

#include "os/log/log_format.h"

namespace CLI {
class App;
}

namespace muster::cli {

inline constexpr int kLogVerbosityMax = 10;

struct LogOptions {
    os::LogFormat format = os::LogFormat::kText;
    int verbosity = 0;
};

// For all verbs that are declared so far, and the verbs below them. `options` must live until the line is parsed.
void declare_log_flags(CLI::App& app, LogOptions& options);

}  // namespace muster::cli
