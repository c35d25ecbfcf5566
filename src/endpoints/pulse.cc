#include "endpoints/pulse.h"

#include <string>

namespace muster::endpoints {

Pulse::Pulse(os::Loop& loop) : loop_(loop) { beat(); }
Pulse::~Pulse() { loop_.cancel(timer_); }

void Pulse::beat() {
    last_ = loop_.uptime().count();
    timer_ = loop_.after(kEvery, [this] { beat(); });
}

Duration Pulse::silence() const { return loop_.uptime() - Duration(last_.load()); }

Result<> Pulse::check() const {
    const Duration span = silence();
    if (span <= kSilenceMax) return {};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
    return Error{Code::kTimeout, "the loop has not turned for " + std::to_string(seconds) + " seconds"};
}

}  // namespace muster::endpoints
