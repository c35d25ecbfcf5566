// When all that users wanted has come to its end: every Job finished, and gone if it has a time to live; no pod that is
// still to end, to go or to be counted.
#pragma once

#include <string>

#include "sim/world/world.h"

namespace muster::sim {

// Empty when it has; else what has not.
std::string why_not_ended(const World& world);

}  // namespace muster::sim
