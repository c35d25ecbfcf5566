// The structural schema of a declared type, as a CustomResourceDefinition has it: no references, every value with its
// type, lists with their keys. What the declaration does not say (limits, defaults, rules across fields) comes from
// field_rules.h.
#pragma once

#include "api/schema/kind_info.h"
#include "manifests/tree.h"

namespace muster::manifests {

// The schema of a kind's objects.
Object structural_schema(const api::KindInfo& kind);

}  // namespace muster::manifests
