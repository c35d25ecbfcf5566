#include "os/loop/real_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace muster::os {

RealLoop::RealLoop() : made_at_(std::chrono::steady_clock::now()) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    CHECK(epoll_ >= 0, std::strerror(errno));
    wakeup_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(wakeup_ >= 0, std::strerror(errno));
    // Edge-triggered, so that the counter is never read: every write is a new edge.
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = 0}};
    CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event) == 0, std::strerror(errno));
}

RealLoop::~RealLoop() {
    drop_spawned();
    posted_.clear();  // what was posted may own timers and watches, which go first
    asked_.clear();
    asked_turn_.clear();
    ::close(wakeup_);
    ::close(epoll_);
}

Instant RealLoop::now() const { return Instant::from_unix(std::chrono::system_clock::now().time_since_epoch()); }

Duration RealLoop::uptime() const { return std::chrono::steady_clock::now() - made_at_; }

void RealLoop::post(Work work) { add(posted_, std::move(work)); }

void RealLoop::post_asked(Work work) { add(asked_, std::move(work)); }

void RealLoop::add(std::vector<Work>& line, Work work) {
    bool wake;
    {
        std::lock_guard lock(mutex_);
        line.push_back(std::move(work));
        if (&line == &asked_) any_asked_.store(true, std::memory_order_relaxed);
        wake = std::exchange(asleep_, false);
    }
    if (wake) {
        wakeups_.fetch_add(1, std::memory_order_relaxed);
        ::eventfd_write(wakeup_, 1);
    }
}

void RealLoop::stop() {
    bool wake;
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        wake = std::exchange(asleep_, false);
    }
    if (wake) ::eventfd_write(wakeup_, 1);
}

TimerId RealLoop::after(Duration delay, Work work) {
    return timers_.add(add_sat(uptime(), std::max(delay, Duration::zero())), std::move(work));
}

void RealLoop::cancel(TimerId timer) { timers_.cancel(timer); }

void RealLoop::run() {
    while (run_posted()) {
        run_timers();
        wait_and_dispatch();
    }
}

// False when the loop was told to stop.
bool RealLoop::run_posted() {
    {
        std::lock_guard lock(mutex_);
        if (std::exchange(stopping_, false)) return false;
        turn_.swap(posted_);
    }
    run_asked();
    for (Work& work : turn_) {
        work();
        work = Work();  // what it owned goes now, not when all of the turn is done
        run_asked();
    }
    turn_.clear();
    return true;
}

// For as long as a piece of other work may take; what is left comes after the next such piece.
void RealLoop::run_asked() {
    if (next_asked_ == asked_turn_.size() && !any_asked_.load(std::memory_order_relaxed)) return;
    constexpr Duration kAtOnce = 250us;
    const Duration end = uptime() + kAtOnce;
    do {
        if (next_asked_ == asked_turn_.size()) {
            asked_turn_.clear();
            next_asked_ = 0;
            std::lock_guard lock(mutex_);
            asked_turn_.swap(asked_);
            any_asked_.store(false, std::memory_order_relaxed);
            if (asked_turn_.empty()) return;
        }
        Work work = std::move(asked_turn_[next_asked_++]);
        work();
    } while (uptime() < end);
}

void RealLoop::run_timers() {
    if (timers_.empty()) return;
    // A timer made from here on is due no earlier than this moment of the next turn.
    const Duration moment = uptime();
    while (Work work = timers_.take_due(moment)) {
        work();
        run_asked();
    }
}

void RealLoop::wait_and_dispatch() {
    timespec timeout{};
    bool forever = false;
    {
        std::lock_guard lock(mutex_);
        asleep_ = posted_.empty() && asked_.empty() && next_asked_ == asked_turn_.size() && !stopping_;
        if (asleep_) {
            if (const auto deadline = timers_.next_deadline()) {
                const Duration left = std::max(*deadline - uptime(), Duration::zero());
                timeout.tv_sec = left / 1s;
                timeout.tv_nsec = (left % 1s).count();
            } else {
                forever = true;
            }
        }
    }
    std::array<epoll_event, 128> events;
    const int ready =
        ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), forever ? nullptr : &timeout, nullptr);
    CHECK(ready >= 0 || errno == EINTR, std::strerror(errno));
    {
        std::lock_guard lock(mutex_);
        asleep_ = false;
    }
    for (int i = 0; i < ready; ++i) {
        // Looked up for each event, since an earlier one of this batch may have ended the watch.
        const auto watch = watches_.find(events[i].data.u64);
        if (watch == watches_.end()) continue;
        const auto call = watch->second;
        const std::uint32_t flags = events[i].events;
        const bool broken = (flags & (EPOLLERR | EPOLLHUP)) != 0;
        (*call)({.readable = broken || (flags & (EPOLLIN | EPOLLRDHUP)) != 0,
                 .writable = broken || (flags & EPOLLOUT) != 0,
                 .ended = broken || (flags & EPOLLRDHUP) != 0});
    }
}

RealLoop::WatchId RealLoop::watch(int descriptor, std::function<void(Readiness)> ready) {
    const WatchId id = ++last_watch_;
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.u64 = id}};
    CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0, std::strerror(errno));
    watches_.emplace(id, std::make_shared<std::function<void(Readiness)>>(std::move(ready)));
    return id;
}

void RealLoop::unwatch(WatchId watch, int descriptor) {
    if (watches_.erase(watch) == 0) return;
    CHECK(::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr) == 0, std::strerror(errno));
}

}  // namespace muster::os
