// The signal that asks a container to end.
#pragma once

#include <string_view>

#include "api/kinds/core/container.h"

namespace muster::node {

// "SIGUSR1", "SIGRTMIN+3" → Linux's number; SIGTERM's for a name that is none.
int signal_number(std::string_view name);
// What the container's lifecycle says, SIGTERM by default.
int stop_signal(const api::core::Container& container);

}  // namespace muster::node
