// The kinds whose objects are stored, listed, watched and removed one by one: what the garbage collector keeps an eye
// on, and what a namespace is emptied of.
#pragma once

#include <vector>

#include "api/schema/kind_info.h"

namespace muster::controllers {

// Without events: they own nothing, have no owners, and would outnumber all other objects.
std::vector<const api::KindInfo*> owning_kinds();

// Those with namespaces, events included; pods come first.
std::vector<const api::KindInfo*> namespaced_kinds();

}  // namespace muster::controllers
