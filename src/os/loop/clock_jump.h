// Notices that the wall clock was set. Timers run by the steady clock. When the wall clock jumps, a timer for a time of
// day becomes too early or too late, so code with such a timer must compare the clocks regularly.
#pragma once

#include "os/loop/loop.h"

namespace muster::os {

class ClockJump {
public:
    // How often to look while something waits for a time of day.
    static constexpr Duration kLookEvery = 10s;

    explicit ClockJump(const Loop& loop) : loop_(loop), difference_(difference()) {}

    // Whether wall and steady clock have moved apart, by more than a second, since this said so last. What a clock is
    // slowed down or sped up by adds up until it is noticed.
    bool noticed() {
        constexpr Duration kApart = 1s;
        const Duration now = difference();
        if (now - difference_ <= kApart && difference_ - now <= kApart) return false;
        difference_ = now;
        return true;
    }

private:
    Duration difference() const { return loop_.now().since_epoch() - loop_.uptime(); }

    const Loop& loop_;
    Duration difference_;
};

}  // namespace muster::os
