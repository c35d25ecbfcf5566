// Which events are removed when there are too many: Events are told by every Job and every pod, so they are bounded by
// number and by memory, and not only by age.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/kinds/core/event.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::server {

struct EventLimits {
    Duration life = 1h;  // since it last happened
    std::size_t count_max = 100'000;
    std::size_t bytes_max = 64u << 20;
};

// From the flags --event-ttl ("1h"), --events-max-count and --events-max-size ("64Mi"). kBadRequest, naming the flag.
Result<EventLimits> parse_event_limits(std::string_view life, std::int64_t count_max, std::string_view bytes_max);

// When the event last happened, or was created when that is later. A time in the future does not count: such an event
// would never be removed.
Instant last_happened(const api::core::Event& event, Instant now);
bool is_event_due(const api::core::Event& event, Instant now, Duration life);

// What is asked of an event when some have to go.
struct EventView {
    Instant last;         // when it last happened
    std::uint64_t about;  // the same for events of the same object and reason
    std::size_t bytes;
};
EventView view_of(const api::core::Event& event, std::size_t bytes, Instant now);
// The places of those to remove, in the order in which they go: none while both limits hold, else so many that a tenth
// of either is free, so that it is not decided again for each further event. Older events go first; the newest of each
// object and reason go after all others.
std::vector<std::size_t> decide_events_to_remove(const std::vector<EventView>& events, const EventLimits& limits);

}  // namespace muster::server
