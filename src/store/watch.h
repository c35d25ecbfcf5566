// A watch is a cursor into a resource's history, pulled by its owner:
//     for (;;) {
//         CO_TRY_ASSIGN(const Event* event, watch->next());
//         if (event) { … } else { co_await watch->ready(); }
//     }
// Every event after its start comes once and in order. Writers do not wait for a watch: a watch that falls behind the
// history gets kExpired, and its owner lists again. To be used on the loop only.
#pragma once

#include <coroutine>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/loop/waiter.h"
#include "store/history.h"

namespace muster::store {

struct Bucket;

enum class Visibility {
    kAtOnce,   // events as they happen: for components inside the process, which a crash ends, too
    kDurable,  // events only once they are on disk: for all others
};

class Watch {
public:
    // Made by Store::watch.
    Watch(std::shared_ptr<Bucket> bucket, std::string prefix, Revision from, Visibility visibility);
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

    // The next event, or null when there is none yet. It is good until the next call of this watch.
    // kExpired: events were missed; so it stays. kCancelled: the store is gone.
    Result<const Event*> next() {
        while (at_ != end_) {
            const HistoryEvent& event = *at_++;
            if (whole_bucket_ || event.key.view().starts_with(prefix_)) return static_cast<const Event*>(&event);
        }
        return refill_and_next();
    }
    // The revision up to which everything has been seen: what a bookmark may say, and where a new watch goes on.
    // Never falls; as new as can be when `next` has just given null.
    Revision seen() const { return at_ != taken_ ? at_[-1].revision : seen_; }

    // Goes on when `next` may have something to say; may go on without a reason. One coroutine at a time.
    auto ready() {
        struct Awaiter {
            Watch& watch;
            os::Waiter waiter{};
            bool await_ready() { return watch.has_news(); }
            void await_suspend(std::coroutine_handle<> self) {
                waiter.coroutine = self;
                watch.line().add(waiter);
            }
            void await_resume() {}
        };
        return Awaiter{*this};
    }

private:
    Result<const Event*> refill_and_next();
    bool has_news() const;
    Revision visible() const;
    os::WaiterLine& line();

    std::shared_ptr<Bucket> bucket_;
    const std::string prefix_;
    const Visibility visibility_;
    const bool whole_bucket_;
    History::BlockPtr block_;              // the one being read
    const HistoryEvent* taken_ = nullptr;  // what of the block could be seen when it was taken, up to end_
    const HistoryEvent* at_ = nullptr;
    const HistoryEvent* end_ = nullptr;
    std::uint64_t next_;  // number of the event at end_
    Revision seen_;       // before those
};

}  // namespace muster::store
