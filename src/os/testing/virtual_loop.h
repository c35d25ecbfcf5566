// A loop whose time is virtual: nothing happens until a test asks for it, sleeping costs nothing, and the same calls
// give the same order every time. Time moves only from timer to timer, when nothing else is left to do.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <thread>

#include "base/prng.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "os/loop/timer_queue.h"

namespace muster::os {

class VirtualLoop final : public Loop {
public:
    explicit VirtualLoop(Instant start = Instant::from_unix_seconds(1'700'000'000));
    ~VirtualLoop() override;

    Instant now() const override { return wall_start_ + uptime_; }
    Duration uptime() const override { return uptime_; }
    // Unlike other loops' posts, to be called by the loop's own thread: blocking work runs on a VirtualWorker.
    void post(Work work) override;
    TimerId after(Duration delay, Work work) override;
    void cancel(TimerId timer) override { timers_.cancel(timer); }

    // Runs what can run now: posts and due timers, and what they bring about. Time stands still.
    void run_until_idle();
    // Runs for a span of virtual time; timers due exactly at its end run too.
    void run_for(Duration span);
    // Runs, moving time on when need be, until `done` holds, which is looked at before each step. False when it does
    // not hold and nothing is left to run, or `limit` of virtual time has passed.
    bool run_until(const std::function<bool()>& done, Duration limit = 24h);
    // Runs until the task has ended, and gives its value; it must end within a virtual day.
    template <class T>
    T run(Task<T> task);

    // Sets the wall clock forward or back; timers do not notice.
    void jump_wall_clock(Duration span) { wall_start_ = wall_start_ + span; }
    bool idle() const { return posted_.empty() && (timers_.empty() || *timers_.next_deadline() > uptime_); }
    std::size_t timers() const { return timers_.size(); }

private:
    bool step();                      // runs one post or due timer; false when there is none
    bool advance(Duration deadline);  // moves to the next timer; false when there is none by the deadline

    Instant wall_start_;
    Duration uptime_{0};
    std::deque<Work> posted_;
    TimerQueue timers_;
    const std::thread::id thread_ = std::this_thread::get_id();
};

template <class T>
T VirtualLoop::run(Task<T> task) {
    if constexpr (std::is_void_v<T>) {
        bool ended = false;
        spawn(*this, [](Task<T> inner, bool& done) -> Task<void> {
            co_await std::move(inner);
            done = true;
        }(std::move(task), ended));
        CHECK(run_until([&] { return ended; }), "the task waits for what never comes");
    } else {
        std::optional<T> value;
        spawn(*this, [](Task<T> inner, std::optional<T>& out) -> Task<void> {
            out.emplace(co_await std::move(inner));
        }(std::move(task), value));
        CHECK(run_until([&] { return value.has_value(); }), "the task waits for what never comes");
        return std::move(*value);
    }
}

// A Worker whose work runs as events of the loop. Its own work stays in order; against other workers and the loop it
// is delayed by chance, when a span to choose from is given, which is where the orders come from that threads would
// make.
class VirtualWorker final : public Worker {
public:
    explicit VirtualWorker(VirtualLoop& loop) : VirtualWorker(loop, 0, 0ns, 0ns) {}
    VirtualWorker(VirtualLoop& loop, std::uint64_t seed, Duration delay_min, Duration delay_max);
    // Runs what is left, at once.
    ~VirtualWorker() override;

    void run(Work work) override;
    // Forgets what is left, as a crash would.
    void abandon();
    std::size_t waiting() const { return given_.size(); }

private:
    void expect_next();

    VirtualLoop& loop_;
    Prng prng_;
    const Duration delay_min_;
    const Duration delay_max_;
    std::deque<Work> given_;
    std::optional<TimerId> next_;
};

}  // namespace muster::os
