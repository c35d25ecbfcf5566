// Lets others have the loop. A task that goes through much without waiting for anything takes a breath between pieces:
// when it has had the loop for long, it goes on after what was posted meanwhile, such as a request. It does not stand
// in line with those who were woken: behind thousands of them it would fall ever further behind what they do.
// In virtual time nothing takes long.
#pragma once

#include <coroutine>
#include <memory>

#include "os/loop/loop.h"

namespace muster::os {

class Breath {
public:
    explicit Breath(Loop& loop) : loop_(loop), since_(loop.uptime()) {}

    class Awaiter {
    public:
        explicit Awaiter(Breath& breath) : breath_(breath) {}
        Awaiter(const Awaiter&) = delete;
        Awaiter& operator=(const Awaiter&) = delete;
        ~Awaiter() {
            if (waiting_) *waiting_ = false;
        }
        bool await_ready() const { return breath_.loop_.uptime() - breath_.since_ < kAtOnce; }
        void await_suspend(std::coroutine_handle<> task) {
            waiting_ = std::make_shared<bool>(true);
            breath_.loop_.post([task, waiting = waiting_] {
                if (*waiting) task.resume();
            });
        }
        void await_resume() {
            if (waiting_) breath_.since_ = breath_.loop_.uptime();
        }

    private:
        Breath& breath_;
        std::shared_ptr<bool> waiting_;  // false: the task is gone
    };
    // co_await breath.take();
    Awaiter take() { return Awaiter(*this); }

private:
    static constexpr Duration kAtOnce = 150us;
    Loop& loop_;
    Duration since_;
};

}  // namespace muster::os
