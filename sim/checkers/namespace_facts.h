// What checkers know of namespaces.
#pragma once

#include "sim/world/world.h"

namespace muster::sim {

// Being deleted: whatever is in it goes, whoever made it and whatever it was told.
bool is_emptied(const World& world, const Text& namespace_);

}  // namespace muster::sim
