// The loop over the kernel: epoll for descriptors and waiting, an eventfd for other threads' posts. It is ours and not
// Boost.Asio's because it has only this to do: HTTP and disk live on threads of their own and post here.
// A turn of the loop: what was posted, then due timers, then ready descriptors. Whatever was asked from outside comes
// as soon as the piece of work is done that runs now: a turn may consist of thousands of pieces. A post costs a system
// call only when the loop sleeps; a thousand posts to a loop that sleeps or works cost at most one.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "os/loop/timer_queue.h"

namespace muster::os {

class RealLoop final : public Loop {
public:
    RealLoop();
    ~RealLoop() override;

    Instant now() const override;
    Duration uptime() const override;
    void post(Work work) override;
    void post_asked(Work work) override;
    TimerId after(Duration delay, Work work) override;
    void cancel(TimerId timer) override;

    // Turns until stop is called; stopping leaves what is posted for the next run.
    void run();
    // Ends `run` before its next turn, or the next run at once. Any thread may call it.
    void stop();
    // Runs until the task has ended, and gives its value.
    template <class T>
    T run(Task<T> task);

    // Calls `ready` on the loop whenever the descriptor becomes readable or writable (or fails or is hung up, which
    // counts as both). It is edge-triggered: `ready` must read or write until the kernel has no more. The caller keeps
    // the descriptor and must unwatch it before closing it.
    struct Readiness {
        bool readable;
        bool writable;
        bool ended;  // the peer writes no more: reads give the rest, then the end
    };
    using WatchId = std::uint64_t;
    WatchId watch(int descriptor, std::function<void(Readiness)> ready);
    void unwatch(WatchId watch, int descriptor);

    // How often a post had to wake the loop, for tests and metrics.
    std::uint64_t wakeups() const { return wakeups_.load(std::memory_order_relaxed); }

private:
    void add(std::vector<Work>& line, Work work);
    bool run_posted();
    void run_asked();
    void run_timers();
    void wait_and_dispatch();

    const std::chrono::steady_clock::time_point made_at_;
    int epoll_ = -1;
    int wakeup_ = -1;

    std::mutex mutex_;  // guards the next four
    std::vector<Work> posted_;
    std::vector<Work> asked_;
    bool stopping_ = false;
    bool asleep_ = false;  // or about to be: the next post must wake it

    std::atomic<bool> any_asked_{false};  // asked_ may hold something: a look at it costs a lock
    std::vector<Work> turn_;
    std::vector<Work> asked_turn_;  // whose turn it is, from next_asked_ on
    std::size_t next_asked_ = 0;
    TimerQueue timers_;
    std::unordered_map<WatchId, std::shared_ptr<std::function<void(Readiness)>>> watches_;
    WatchId last_watch_ = 0;
    std::atomic<std::uint64_t> wakeups_{0};
};

template <class T>
T RealLoop::run(Task<T> task) {
    if constexpr (std::is_void_v<T>) {
        bool ended = false;
        spawn(*this, [](RealLoop& loop, Task<T> inner, bool& done) -> Task<void> {
            co_await std::move(inner);
            done = true;
            loop.stop();
        }(*this, std::move(task), ended));
        while (!ended) run();
    } else {
        std::optional<T> value;
        spawn(*this, [](RealLoop& loop, Task<T> inner, std::optional<T>& out) -> Task<void> {
            out.emplace(co_await std::move(inner));
            loop.stop();
        }(*this, std::move(task), value));
        while (!value) run();
        return std::move(*value);
    }
}

}  // namespace muster::os
