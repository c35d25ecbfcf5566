// Works on the keys of a queue, many at a time: in the process many writes share one sync of the disk, and on a cluster
// the client's own limit decides. No two work on the same key.
#pragma once

#include <functional>

#include "base/result.h"
#include "client/work_queue.h"
#include "os/breath.h"
#include "os/loop.h"
#include "os/task.h"

namespace muster::controllers {

// What became of a key.
enum class Worked {
    kDone,   // nothing is left to do
    kRetry,  // failed: to be tried again, later each time
    kLater,  // whoever worked on it has queued it again as needed
};

// A write that failed because its object is not there any more: mostly as good as done.
inline bool is_gone(const Error& error) { return error.code == Code::kNotFound; }

template <class Key>
class Workers {
public:
    // Must be a coroutine function of its own, not a lambda with captures: see os/task.h.
    using Work = std::function<os::Task<Worked>(Key)>;

    // The queue must outlive it; destroying it stops the work.
    Workers(os::Loop& loop, client::WorkQueue<Key>& queue, std::size_t at_once_max, Work work)
        : loop_(loop), queue_(queue), at_once_max_(at_once_max), work_(std::move(work)), freed_(loop), tasks_(loop) {}

    void start() { tasks_.spawn(dispatch()); }

private:
    os::Task<void> dispatch() {
        os::Breath breath(loop_);
        for (;;) {
            co_await breath.take();
            while (running_ >= at_once_max_) co_await freed_.wait();
            Key key = co_await queue_.take();
            ++running_;
            tasks_.spawn(work_on(std::move(key)));
        }
    }
    os::Task<void> work_on(Key key) {
        const Worked worked = co_await work_(key);
        if (worked == Worked::kRetry)
            queue_.add_after_failure(key);
        else
            queue_.forget(key);
        queue_.done(key);
        --running_;
        freed_.notify();
    }

    os::Loop& loop_;
    client::WorkQueue<Key>& queue_;
    std::size_t at_once_max_;
    Work work_;
    std::size_t running_ = 0;
    os::Event freed_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
