#include "os/loop/loop.h"

namespace muster::os {

Loop::~Loop() { CHECK(spawned_.empty(), "a loop's destructor must begin with drop_spawned()"); }

void Loop::wake(Waiter& waiter) {
    woken_.add(waiter);
    expect_resume();
}

void Loop::wake_all(WaiterLine& line) {
    if (line.empty()) return;
    woken_.add_all(line);
    expect_resume();
}

void Loop::expect_resume() {
    if (resume_posted_) return;
    resume_posted_ = true;
    post([this] { resume_woken(); });
}

// A coroutine that is woken during this turn is resumed in the next one: two coroutines that wake each other must not
// starve the rest. When thousands are woken at once, this stops after kAtOnce, so that work posted meanwhile, such as a
// request, comes in between.
void Loop::resume_woken() {
    constexpr Duration kAtOnce = 250us;
    resume_posted_ = false;
    resuming_.add_all(woken_);
    const Duration end = uptime() + kAtOnce;
    while (Waiter* waiter = resuming_.next()) {
        waiter->coroutine.resume();
        if (uptime() >= end) break;
    }
    if (!resuming_.empty()) expect_resume();
}

void Loop::drop_spawned() {
    while (Waiter* root = spawned_.next()) root->coroutine.destroy();
}

}  // namespace muster::os
