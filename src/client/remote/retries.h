// Requests that the server refuses for now, and of which it says that it did nothing with them: 429, and 503 with
// Retry-After. Each is sent again after the time that the server asks for, a limited number of times.
#pragma once

#include <optional>

#include "base/prng.h"
#include "client/remote/limiter.h"
#include "os/http/client/http_client.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

// How long to wait before a request that was answered so is sent again; nothing: the answer is final. `chance` is from
// 0 to 1.
std::optional<Duration> retry_delay(const os::HttpAnswerHead& head, double chance);

class Retries {
public:
    // The first two must outlive it.
    Retries(os::Loop& loop, Limiter& limiter, int times_max)
        : loop_(loop),
          limiter_(limiter),
          times_max_(times_max),
          random_(static_cast<std::uint64_t>(loop.now().since_epoch().count())) {}

    // Whether the request is to be sent once more, after the wait that the server asked for. `times` is how often it
    // was sent again before.
    os::Task<bool> again(const os::HttpAnswerHead& head, int& times);

private:
    os::Loop& loop_;
    Limiter& limiter_;
    const int times_max_;
    Prng random_;
};

}  // namespace muster::client
