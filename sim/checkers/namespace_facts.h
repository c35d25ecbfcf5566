// What checkers know of namespaces.
#pragma once

#include "sim/world/world.h"

namespace muster::sim {

// Whether the namespace is being deleted. Then all objects in it are deleted, whatever their owners or settings.
bool is_emptied(const World& world, const Text& namespace_);

}  // namespace muster::sim
