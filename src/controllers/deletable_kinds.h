// The declared kinds that the garbage collector watches, and those that a namespace is emptied of: all stored kinds
// with the property. Both controllers take defined kinds in the same list.
#pragma once

#include <vector>

#include "api/schema/kind_info.h"

namespace muster::controllers {

// Without events: they own nothing, have no owners, and would outnumber all other objects.
std::vector<const api::KindInfo*> owning_kinds();

// Those with namespaces, events included; pods come first and events last.
std::vector<const api::KindInfo*> namespaced_kinds();

}  // namespace muster::controllers
