// Which of all kinds the garbage collector watches, and which a namespace is emptied of, in the order in which both
// handle them: pods first, and events last.
#pragma once

#include <vector>

#include "api/schema/kind_info.h"

namespace muster::controllers {

// Without events: they own nothing, have no owners, and would outnumber all other objects.
std::vector<const api::KindInfo*> owning_kinds(const std::vector<const api::KindInfo*>& all);

// Those with namespaces, events included.
std::vector<const api::KindInfo*> namespaced_kinds(const std::vector<const api::KindInfo*>& all);

}  // namespace muster::controllers
