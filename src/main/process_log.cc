#include "main/process_log.h"

#include "base/check_hook.h"

namespace muster {
namespace {

constexpr int kStandardError = 2;
os::LogWriter* last_words = nullptr;

}  // namespace

ProcessLog::ProcessLog(const cli::LogOptions& options)
    : writer_(kStandardError),
      logger_(os::real_logger_options(options.format), [this](const std::string& line) { return writer_.write(line); }),
      installed_(logger_, options.verbosity) {
    last_words = &writer_;
    before_check_ends([] {
        if (last_words) last_words->flush(1s);
    });
}

ProcessLog::~ProcessLog() {
    before_check_ends(nullptr);
    last_words = nullptr;
}

}  // namespace muster
