// What other threads made, brought to the loop several at a time: waking the loop costs more than many a result is
// worth. Nothing waits for company that is not on its way: what is made when no further job is waiting goes at once.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "os/loop/loop.h"

namespace muster::os {

template <class T>
class Basket {
public:
    // The loop must outlive it, and it those threads. `emptied` is called on the loop, in the order of add().
    Basket(Loop& loop, std::size_t enough, std::function<void(T made)> emptied)
        : loop_(loop), enough_(enough), emptied_(std::move(emptied)) {}
    Basket(const Basket&) = delete;
    Basket& operator=(const Basket&) = delete;

    // On the loop: a job will be given to a thread.
    void expect() {
        const std::lock_guard lock(mutex_);
        ++waiting_;
    }
    // On any thread: one of these jobs is begun …
    void take_up() {
        const std::lock_guard lock(mutex_);
        --waiting_;
    }
    // … and done.
    void add(T made) {
        {
            const std::lock_guard lock(mutex_);
            full_.push_back(std::move(made));
            if (told_ || (full_.size() < enough_ && waiting_ > 0)) return;
            told_ = true;
        }
        loop_.post([this] { empty(); });
    }
    // On the loop: what is there now.
    void empty() {
        std::vector<T> taken;
        {
            const std::lock_guard lock(mutex_);
            taken.swap(full_);
            told_ = false;
        }
        for (T& each : taken) emptied_(std::move(each));
    }

private:
    Loop& loop_;
    const std::size_t enough_;
    const std::function<void(T)> emptied_;
    std::mutex mutex_;
    std::vector<T> full_;
    std::size_t waiting_ = 0;  // jobs that no thread has begun
    bool told_ = false;        // the loop has been
};

}  // namespace muster::os
