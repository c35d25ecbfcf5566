// How long a client waits for the answer to a request: Kubernetes' `timeout` in the query, in Go's durations. What runs
// long (watches, logs, sessions) has none.
#pragma once

#include "base/instant.h"
#include "base/result.h"
#include "server/negotiation/target.h"
#include "server/rest/route.h"

namespace muster::server {

inline constexpr Duration kRequestTimeoutMax = 60s;

bool is_long_running(const Route& route);
// `longest` when nothing, zero or less, or more is asked for. kBadRequest when it is no duration.
Result<Duration> parse_timeout(const Query& query, Duration longest);
// What a client is told whose request was not answered in time. A write may have been made, or still be made.
Error timed_out();

}  // namespace muster::server
