// Keys of objects to sync. A key that is added many times before it is taken is taken once. A key that is added while
// it is being worked on is taken again afterwards, so that a key has only one worker at a time. Of several delays the
// earliest counts. When the wall clock is set, all delayed keys become ready at once: most wait for a time of day,
// which may be over now. To be used on the loop only.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "base/check.h"
#include "client/queue_metrics.h"
#include "os/loop/clock_jump.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

struct RetryDelays {
    Duration first = 5ms;
    Duration longest = 60s;
};

// A key, as the log and /debug show it.
template <class Key>
os::LogValue key_value(const Key& key) {
    if constexpr (requires { os::LogValue(key); })
        return os::LogValue(key);
    else
        return os::LogValue("?");
}

template <class Key>
class WorkQueue {
public:
    explicit WorkQueue(os::Loop& loop, QueueMetrics metrics = QueueMetrics(), RetryDelays delays = {})
        : loop_(loop), metrics_(metrics), delays_(delays), clock_(loop), filled_(loop) {
        metrics_.add_refresh([this] { tell_unfinished(); });
        metrics_.add_report(kQueuesTopic, [this](Inspection::Rows& rows) { report(rows); });
    }
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;
    ~WorkQueue() {
        metrics_.forget_refresh();
        metrics_.forget_reports();
        if (timer_ != 0) loop_.cancel(timer_);
    }

    void add(const Key& key) {
        forget_delay(key);
        if (!waiting_.emplace(key, loop_.uptime()).second) return;
        metrics_.added();
        if (working_.contains(key)) return;
        enqueue(key);
    }
    // No earlier than that, unless it is added otherwise.
    void add_after(const Key& key, Duration delay) {
        if (delay <= Duration(0)) return add(key);
        const Duration due = add_sat(loop_.uptime(), delay);
        const auto known = delayed_.find(key);
        if (known != delayed_.end() && known->second <= due) return;
        if (known != delayed_.end()) due_.erase({known->second, key});
        delayed_[key] = due;
        due_.emplace(due, key);
        arm();
    }
    // After a failure: later each time until forget().
    void add_after_failure(const Key& key) {
        metrics_.retried();
        const int failures = failures_[key]++;
        Duration delay = delays_.first;
        for (int i = 0; i < failures && delay < delays_.longest; ++i) delay *= 2;
        add_after(key, std::min(delay, delays_.longest));
    }
    void forget(const Key& key) { failures_.erase(key); }
    int failures(const Key& key) const {
        const auto found = failures_.find(key);
        return found == failures_.end() ? 0 : found->second;
    }

    // Waits for a key. The caller must call done() after its work, also after a failure.
    os::Task<Key> take() {
        while (ready_.empty()) co_await filled_.wait();
        Key key = std::move(ready_.front());
        ready_.pop_front();
        metrics_.set_depth(ready_.size());
        const auto since = waiting_.find(key);
        metrics_.taken(loop_.uptime() - since->second);
        waiting_.erase(since);
        working_.emplace(key, loop_.uptime());
        co_return key;
    }
    void done(const Key& key) {
        const auto found = working_.find(key);
        CHECK(found != working_.end(), "done with what was not taken");
        metrics_.worked(loop_.uptime() - found->second);
        working_.erase(found);
        if (waiting_.contains(key)) enqueue(key);
    }

    std::size_t depth() const { return ready_.size(); }
    bool idle() const { return waiting_.empty() && working_.empty() && delayed_.empty(); }

private:
    void enqueue(const Key& key) {
        ready_.push_back(key);
        metrics_.set_depth(ready_.size());
        filled_.notify();
    }
    void tell_unfinished() {
        Duration sum{};
        Duration longest{};
        for (const auto& [key, since] : working_) {
            const Duration took = loop_.uptime() - since;
            sum += took;
            longest = std::max(longest, took);
        }
        metrics_.set_unfinished(sum, longest);
    }
    // How many there are, then what is under way and what fails.
    void report(Inspection::Rows& rows) const {
        rows.push_back({{"ready", ready_.size()},
                        {"working", working_.size()},
                        {"delayed", delayed_.size()},
                        {"failing", failures_.size()}});
        std::size_t room = Inspection::kRowsMax;
        const Duration now = loop_.uptime();
        for (const auto& [key, since] : working_)
            if (room > 0 && room--)
                rows.push_back({{"key", key_value(key)}, {"state", "working"}, {"for", now - since}});
        for (const auto& [key, count] : failures_) {
            const auto due = delayed_.find(key);
            const Duration wait = due == delayed_.end() ? Duration() : due->second - now;
            if (room > 0 && room--)
                rows.push_back(
                    {{"key", key_value(key)}, {"state", "failing"}, {"failures", count}, {"nextTryIn", wait}});
        }
    }
    void forget_delay(const Key& key) {
        const auto known = delayed_.find(key);
        if (known == delayed_.end()) return;
        due_.erase({known->second, key});
        delayed_.erase(known);
    }
    void arm() {
        if (due_.empty()) return;
        const Duration due = std::min(due_.begin()->first, loop_.uptime() + os::ClockJump::kLookEvery);
        if (timer_ != 0 && armed_for_ <= due) return;
        if (timer_ != 0) loop_.cancel(timer_);
        armed_for_ = due;
        timer_ = loop_.after(due - loop_.uptime(), [this] {
            timer_ = 0;
            release(clock_.noticed() ? Duration::max() : loop_.uptime());
            arm();
        });
    }
    // Those that are due by then.
    void release(Duration by) {
        while (!due_.empty() && due_.begin()->first <= by) {
            const Key key = due_.begin()->second;
            add(key);
        }
    }

    os::Loop& loop_;
    QueueMetrics metrics_;
    RetryDelays delays_;
    os::ClockJump clock_;
    std::deque<Key> ready_;
    std::map<Key, Duration> waiting_;  // added and not taken yet, since when
    std::map<Key, Duration> working_;  // taken, since when
    std::map<Key, Duration> delayed_;
    std::set<std::pair<Duration, Key>> due_;
    std::map<Key, int> failures_;
    os::TimerId timer_ = 0;
    Duration armed_for_{};
    os::Event filled_;
};

}  // namespace muster::client
