// The generation of an object: raised with each change of what its user asks for.
#pragma once

#include <limits>

#include "api/kinds/meta.h"

namespace muster::api {

// A stored object may have any number; the highest stays.
inline void raise_generation(meta::ObjectMeta& metadata) {
    if (metadata.generation < std::numeric_limits<decltype(metadata.generation)>::max()) ++metadata.generation;
}

}  // namespace muster::api
