// Runs that grow older: each is called for once, when it has been in the line for the line's age. What has ended by
// then is the caller's to know.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "node/runtime/runs.h"
#include "os/loop/loop.h"

namespace muster::node {

class AgeLine {
public:
    // The loop must outlive it.
    AgeLine(os::Loop& loop, Duration age, std::function<void(const RunKey& key)> reached)
        : loop_(loop), age_(age), reached_(std::move(reached)) {}
    ~AgeLine() {
        if (timer_ != 0) loop_.cancel(timer_);
    }
    AgeLine(const AgeLine&) = delete;
    AgeLine& operator=(const AgeLine&) = delete;

    void add(const RunKey& key) {
        line_.emplace_back(loop_.uptime() + age_, key);
        expect();
    }

private:
    void expect() {
        if (timer_ != 0 || line_.empty()) return;
        timer_ = loop_.after(line_.front().first - loop_.uptime(), [this] {
            timer_ = 0;
            while (!line_.empty() && line_.front().first <= loop_.uptime()) {
                const RunKey key = std::move(line_.front().second);
                line_.pop_front();
                reached_(key);
            }
            expect();
        });
    }

    os::Loop& loop_;
    const Duration age_;
    std::function<void(const RunKey& key)> reached_;
    std::deque<std::pair<Duration, RunKey>> line_;  // with when they are that old
    os::TimerId timer_ = 0;
};

}  // namespace muster::node
