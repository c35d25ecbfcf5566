// Lets others have the loop. A task that goes through much without waiting for anything takes a breath between pieces:
// when it has had the loop for long, it waits for the next turn. In virtual time nothing takes long.
#pragma once

#include "os/loop.h"

namespace muster::os {

class Breath {
public:
    explicit Breath(Loop& loop) : loop_(loop), since_(loop.uptime()) {}

    class Awaiter {
    public:
        explicit Awaiter(Breath& breath) : breath_(breath) {}
        bool await_ready() const { return breath_.loop_.uptime() - breath_.since_ < kAtOnce; }
        void await_suspend(std::coroutine_handle<> task) {
            waiter_.coroutine = task;
            breath_.loop_.wake(waiter_);
        }
        void await_resume() {
            if (waiter_.coroutine) breath_.since_ = breath_.loop_.uptime();
        }

    private:
        Breath& breath_;
        Waiter waiter_;
    };
    // co_await breath.take();
    Awaiter take() { return Awaiter(*this); }

private:
    static constexpr Duration kAtOnce = 300us;
    Loop& loop_;
    Duration since_;
};

}  // namespace muster::os
