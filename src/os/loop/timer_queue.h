// The timers of a loop: a heap by deadline, then by order of making. Cancelling takes the timer out at once, for a
// server makes and cancels far more timeouts than ever fire.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/instant.h"
#include "os/loop/loop.h"

namespace muster::os {

class TimerQueue {
public:
    TimerQueue() = default;
    TimerQueue(const TimerQueue&) = delete;
    TimerQueue& operator=(const TimerQueue&) = delete;
    // One by one, for what a timer carries may cancel others as it goes.
    ~TimerQueue();

    TimerId add(Duration deadline, Work work);
    // Timers that are not in the queue are no error.
    void cancel(TimerId timer);

    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    std::optional<Duration> next_deadline() const;
    // Takes out the first timer whose deadline is not after `now`; an empty Work when there is none.
    Work take_due(Duration now);

private:
    // A timer's id is its slot and how often that slot was used before, so that an old id never names a new timer.
    struct Slot {
        Work work;
        std::uint32_t use = 1;
        std::uint32_t place = 0;  // in the heap
    };
    struct Entry {
        Duration deadline;
        std::uint64_t order;
        std::uint32_t slot;
        bool before(const Entry& other) const {
            return deadline != other.deadline ? deadline < other.deadline : order < other.order;
        }
    };

    Work remove(std::uint32_t place);
    void put(std::uint32_t place, const Entry& entry);
    void rise(std::uint32_t place, const Entry& entry);
    void sink(std::uint32_t place, const Entry& entry);

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<Entry> heap_;
    std::uint64_t made_ = 0;
};

}  // namespace muster::os
