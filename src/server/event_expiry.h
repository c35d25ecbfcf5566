// Events are for people who look now: an hour after they last happened they go.
#pragma once

#include "api/kinds/core/event.h"
#include "os/task.h"
#include "server/objects/objects.h"

namespace muster::server {

inline constexpr Duration kEventLife = 1h;

// Whether it is an hour since the event was created and since it last happened.
bool is_event_due(const api::core::Event& event, Instant now);

// Removes what is due, once a minute, for ever.
os::Task<void> expire_events(Objects& objects);

}  // namespace muster::server
