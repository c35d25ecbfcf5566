#include "os/loop/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>

namespace muster::os {
namespace {

sigset_t set_of(const std::vector<int>& signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals) sigaddset(&set, signal);
    return set;
}

}  // namespace

std::vector<int> end_signals() { return {SIGTERM, SIGINT}; }

Signals::Signals(RealLoop& loop, const std::vector<int>& signals, std::function<void(int)> arrived)
    : loop_(loop), signals_(signals), arrived_(std::move(arrived)) {
    const sigset_t set = set_of(signals_);
    CHECK(::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    source_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    CHECK(source_, std::strerror(errno));
    watch_ = loop_.watch(source_.number(), [this](RealLoop::Readiness) { read_arrived(); });
}

Signals::~Signals() {
    loop_.unwatch(watch_, source_.number());
    const sigset_t set = set_of(signals_);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Signals::read_arrived() {
    std::vector<int> signals;
    signalfd_siginfo info;
    while (::read(source_.number(), &info, sizeof(info)) == sizeof(info))
        signals.push_back(static_cast<int>(info.ssi_signo));
    // A copy, as the call may destroy us.
    const auto arrived = arrived_;
    for (const int signal : signals) arrived(signal);
}

}  // namespace muster::os
