// Conditions of pods that the server itself sets.
#pragma once

#include <string_view>

#include "api/kinds/core/pod.h"
#include "base/instant.h"

namespace muster::server {

// The condition holds from now on, or since it did before.
void set_condition_true(api::core::Pod& pod, std::string_view type, std::string_view reason, std::string_view message,
                        Instant now);

}  // namespace muster::server
