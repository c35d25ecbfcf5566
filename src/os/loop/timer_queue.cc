#include "os/loop/timer_queue.h"

namespace muster::os {

TimerQueue::~TimerQueue() {
    while (!heap_.empty()) remove(0);
}

TimerId TimerQueue::add(Duration deadline, Work work) {
    std::uint32_t index;
    if (free_slots_.empty()) {
        index = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
    } else {
        index = free_slots_.back();
        free_slots_.pop_back();
    }
    slots_[index].work = std::move(work);
    heap_.emplace_back();
    rise(static_cast<std::uint32_t>(heap_.size() - 1), Entry{deadline, made_++, index});
    return (TimerId{slots_[index].use} << 32) | index;
}

void TimerQueue::cancel(TimerId timer) {
    const auto index = static_cast<std::uint32_t>(timer);
    if (index >= slots_.size() || slots_[index].use != timer >> 32 || !slots_[index].work) return;
    remove(slots_[index].place);
}

std::optional<Duration> TimerQueue::next_deadline() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().deadline;
}

Work TimerQueue::take_due(Duration now) {
    if (heap_.empty() || heap_.front().deadline > now) return {};
    return remove(0);
}

Work TimerQueue::remove(std::uint32_t place) {
    const std::uint32_t index = heap_[place].slot;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (place < heap_.size()) {
        if (place > 0 && last.before(heap_[(place - 1) / 2]))
            rise(place, last);
        else
            sink(place, last);
    }
    Slot& slot = slots_[index];
    if (++slot.use == 0) slot.use = 1;
    free_slots_.push_back(index);
    return std::move(slot.work);
}

void TimerQueue::put(std::uint32_t place, const Entry& entry) {
    heap_[place] = entry;
    slots_[entry.slot].place = place;
}

void TimerQueue::rise(std::uint32_t place, const Entry& entry) {
    while (place > 0 && entry.before(heap_[(place - 1) / 2])) {
        put(place, heap_[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(place, entry);
}

void TimerQueue::sink(std::uint32_t place, const Entry& entry) {
    for (;;) {
        std::uint32_t child = 2 * place + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
        if (!heap_[child].before(entry)) break;
        put(place, heap_[child]);
        place = child;
    }
    put(place, entry);
}

}  // namespace muster::os
