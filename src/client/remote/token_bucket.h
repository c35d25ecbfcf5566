// At most so many requests per second, and so many at once after a pause: `qps` and `burst` as client-go has them.
// Pure: it is told the time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/instant.h"

namespace muster::client {

struct RequestRate {
    double qps = 0;  // 0: no limit
    int burst = 10;  // at least 1
};

class TokenBucket {
public:
    explicit TokenBucket(RequestRate rate)
        : interval_(rate.qps > 0 ? std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / rate.qps))
                                 : Duration()),
          slack_(interval_ * (std::max(rate.burst, 1) - 1)) {}

    // Takes a token, if there is one.
    bool take(Duration now) {
        if (now < ready_at()) return false;
        full_at_ = std::max(full_at_, now) + interval_;
        return true;
    }
    // From then on there is a token.
    Duration ready_at() const { return full_at_ - slack_; }

private:
    Duration interval_;   // in which one token comes
    Duration slack_;      // in which all come but one
    Duration full_at_{};  // when all are there
};

}  // namespace muster::client
