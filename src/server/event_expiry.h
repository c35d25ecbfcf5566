// Events are for people who look now: they go when they are old, and the older ones when there are too many.
#pragma once

#include "os/loop/task.h"
#include "server/event_limits.h"
#include "server/objects/objects.h"

namespace muster::server {

// Removes events that are due, once a minute, for ever.
os::Task<void> expire_events(Objects& objects, Duration life);
// Removes events while there are more than the limits allow, for ever. It counts what a watch shows, so it looks at all
// events only when some have to go.
os::Task<void> bound_events(Objects& objects, EventLimits limits);

}  // namespace muster::server
