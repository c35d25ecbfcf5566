// Events have two forms, core/v1 and events.k8s.io/v1, and are stored once, in core's: from one to the other and back.
// Nothing is lost either way.
#pragma once

#include "api/kinds/events.h"

namespace muster::server {

api::core::Event to_stored(const api::events::Event& event);
api::events::Event from_stored(const api::core::Event& core);

}  // namespace muster::server
