#include "os/testing/virtual_loop.h"

#include <algorithm>

namespace muster::os {

VirtualLoop::VirtualLoop(Instant start) : wall_start_(start) {}

VirtualLoop::~VirtualLoop() {
    drop_spawned();
    posted_.clear();  // what was posted may own timers
}

void VirtualLoop::post(Work work) {
    CHECK(std::this_thread::get_id() == thread_, "a virtual loop has no other threads");
    posted_.push_back(std::move(work));
}

TimerId VirtualLoop::after(Duration delay, Work work) {
    return timers_.add(add_sat(uptime_, std::max(delay, Duration::zero())), std::move(work));
}

bool VirtualLoop::step() {
    if (!posted_.empty()) {
        Work work = std::move(posted_.front());
        posted_.pop_front();
        work();
        return true;
    }
    Work work = timers_.take_due(uptime_);
    if (!work) return false;
    work();
    return true;
}

bool VirtualLoop::advance(Duration deadline) {
    const auto next = timers_.next_deadline();
    if (!next || *next > deadline) return false;
    uptime_ = std::max(uptime_, *next);
    return true;
}

void VirtualLoop::run_until_idle() {
    while (step()) {
    }
}

void VirtualLoop::run_for(Duration span) {
    const Duration end = uptime_ + span;
    do {
        run_until_idle();
    } while (advance(end));
    uptime_ = end;
}

bool VirtualLoop::run_until(const std::function<bool()>& done, Duration limit) {
    const Duration end = uptime_ + limit;
    while (!done())
        if (!step() && !advance(end)) return false;
    return true;
}

VirtualWorker::VirtualWorker(VirtualLoop& loop, std::uint64_t seed, Duration delay_min, Duration delay_max)
    : loop_(loop), prng_(seed), delay_min_(delay_min), delay_max_(delay_max) {
    CHECK(delay_min <= delay_max);
}

VirtualWorker::~VirtualWorker() {
    if (next_) loop_.cancel(*next_);
    while (!given_.empty()) {
        Work work = std::move(given_.front());
        given_.pop_front();
        work();
    }
}

void VirtualWorker::run(Work work) {
    given_.push_back(std::move(work));
    if (!next_) expect_next();
}

void VirtualWorker::abandon() {
    if (next_) loop_.cancel(*next_);
    next_.reset();
    given_.clear();
}

void VirtualWorker::expect_next() {
    const Duration delay(prng_.between(delay_min_.count(), delay_max_.count()));
    next_ = loop_.after(delay, [this] {
        next_.reset();
        Work work = std::move(given_.front());
        given_.pop_front();
        if (!given_.empty()) expect_next();
        work();
    });
}

}  // namespace muster::os
