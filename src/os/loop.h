// The one loop that decides. Store, controllers, scheduler and node agent run on it as coroutines; everything that
// blocks runs on a Worker and posts its completion back. In tests and in the simulator the same code runs on a loop
// whose time is virtual.
#pragma once

#include <cstdint>
#include <functional>

#include "base/instant.h"

namespace muster::os {

using Work = std::function<void()>;
using TimerId = std::uint64_t;

class Loop {
public:
    virtual ~Loop() = default;

    // Wall-clock time. It may jump; spans are measured by `after`, which does not.
    virtual Instant now() const = 0;
    // Runs work later on the loop, in the order posted. The only member that other threads may call.
    virtual void post(Work work) = 0;
    // Runs work once, no earlier than `delay` from now by a clock that never jumps.
    virtual TimerId after(Duration delay, Work work) = 0;
    // A timer that has run, is running or was cancelled is no error.
    virtual void cancel(TimerId timer) = 0;
};

// Runs blocking work in order, off the loop. Destroying it finishes what was given.
class Worker {
public:
    virtual ~Worker() = default;
    virtual void run(Work work) = 0;
};

}  // namespace muster::os
