// The generation of an object: raised with each change of what its user asks for.
#pragma once

#include "api/kinds/meta/meta.h"
#include "base/saturate.h"

namespace muster::api {

// A stored object may have any number; the highest stays.
inline void raise_generation(meta::ObjectMeta& metadata) { metadata.generation = add_sat(metadata.generation, 1); }

}  // namespace muster::api
