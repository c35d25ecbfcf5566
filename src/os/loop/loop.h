// The one loop that decides. Store, controllers, scheduler and node agent run on it as coroutines (os/loop/task.h);
// everything that blocks runs on a Worker and posts its completion back. In tests and in the simulator the same code
// runs on a loop whose time is virtual.
#pragma once

#include <cstdint>
#include <utility>

#include "base/instant.h"
#include "os/loop/waiter.h"
#include "os/loop/work.h"

namespace muster::os {

using TimerId = std::uint64_t;  // never 0

class Loop {
public:
    Loop() = default;
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    virtual ~Loop();

    // Wall-clock time. It may jump; spans are measured by `uptime` and `after`, which do not.
    virtual Instant now() const = 0;
    // Time since the loop was made, by a clock that never jumps.
    virtual Duration uptime() const = 0;
    // Runs work later on the loop, in the order posted. Other threads may call this and post_asked, and nothing else.
    virtual void post(Work work) = 0;
    // The same for work that a client waits for, such as a request. It has a queue of its own, in the order of the
    // calls. The loop alternates between the two queues, so that neither starves.
    virtual void post_asked(Work work) { post(std::move(work)); }
    // Runs work once, no earlier than `delay` from now by `uptime`; timers due at the same time in the order made.
    virtual TimerId after(Duration delay, Work work) = 0;
    // A timer that has run, is running or was cancelled is no error.
    virtual void cancel(TimerId timer) = 0;

    // Resumes the waiter's coroutine on a later turn of the loop, in the order woken; forgets it if it is destroyed
    // first. However many are woken in one turn, they cost one post.
    void wake(Waiter& waiter);
    void wake_all(WaiterLine& line);

    // The spawned coroutines that have not ended (os/loop/task.h).
    WaiterLine& spawned() { return spawned_; }

protected:
    // Destroys what was spawned and has not ended. A loop calls it first in its destructor, while timers still work.
    void drop_spawned();

private:
    void expect_resume();
    void resume_woken();

    WaiterLine woken_;
    WaiterLine resuming_;  // of those, whose turn it is
    WaiterLine spawned_;
    bool resume_posted_ = false;
};

// Runs blocking work in order, off the loop. Destroying it finishes what was given. Any thread may call run.
class Worker {
public:
    virtual ~Worker() = default;
    virtual void run(Work work) = 0;
};

}  // namespace muster::os
