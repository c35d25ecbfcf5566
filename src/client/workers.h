// Works on the keys of a queue, many at a time: in the process many writes share one sync of the disk, and on a cluster
// the client's own limit decides. No two work on the same key. An exception that leaves the work on a key costs that
// key only: it is reported, and the key is tried again, later each time.
#pragma once

#include <functional>

#include "base/result.h"
#include "client/object_name.h"
#include "client/work_queue.h"
#include "os/loop/breath.h"
#include "os/loop/guard.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

// What became of a key.
enum class Worked {
    kDone,   // nothing is left to do
    kRetry,  // failed: to be tried again, later each time
    kLater,  // the work has queued it again as needed
};

// A write that failed because its object is not there any more: mostly as good as done.
inline bool is_gone(const Error& error) { return error.code == Code::kNotFound; }

template <class Key>
class Workers {
public:
    // Must be a coroutine function of its own, not a lambda with captures: see os/loop/task.h.
    using Work = std::function<os::Task<Worked>(Key)>;
    // Hears of an exception that left the work on a key.
    using OnException = std::function<void(const Key& key, const std::string& why)>;

    // The queue must outlive it; destroying it stops the work.
    Workers(os::Loop& loop, WorkQueue<Key>& queue, std::size_t at_once_max, Work work,
            OnException on_exception = report_exception)
        : loop_(loop),
          queue_(queue),
          at_once_max_(at_once_max),
          work_(std::move(work)),
          on_exception_(std::move(on_exception)),
          freed_(loop),
          tasks_(loop) {}

    void start() { tasks_.spawn(dispatch()); }

private:
    static void report_exception(const Key& key, const std::string& why) {
        if constexpr (std::is_same_v<Key, ObjectName>)
            os::report_failure("work on " + format_name(key), why);
        else if constexpr (std::is_same_v<Key, Text>)
            os::report_failure("work on " + key.str(), why);
        else
            os::report_failure("work on an object", why);
    }

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
        Worked worked = Worked::kRetry;
        std::exception_ptr failure;
        try {
            worked = co_await work_(key);
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure) on_exception_(key, os::exception_text(failure));
        if (worked == Worked::kRetry)
            queue_.add_after_failure(key);
        else
            queue_.forget(key);
        queue_.done(key);
        --running_;
        freed_.notify();
    }

    os::Loop& loop_;
    WorkQueue<Key>& queue_;
    std::size_t at_once_max_;
    Work work_;
    OnException on_exception_;
    std::size_t running_ = 0;
    os::Event freed_;
    os::TaskScope tasks_;
};

}  // namespace muster::client
