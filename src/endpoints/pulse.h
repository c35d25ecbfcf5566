// Whether the loop turns. The loop gives a sign each second, and other threads can ask how long ago the last was: so a
// loop that hangs is noticed by what does not run on it.
#pragma once

#include <atomic>

#include "base/result.h"
#include "os/loop/loop.h"

namespace muster::endpoints {

class Pulse {
public:
    static constexpr Duration kEvery = 1s;
    static constexpr Duration kSilenceMax = 10s;

    // On the loop, as the destructor is. The loop must outlive it.
    explicit Pulse(os::Loop& loop);
    ~Pulse();
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;

    // Any thread may ask.
    Duration silence() const;
    Result<> check() const;

private:
    void beat();

    os::Loop& loop_;
    os::TimerId timer_ = 0;
    std::atomic<Duration::rep> last_;  // by the loop's uptime
};

}  // namespace muster::endpoints
