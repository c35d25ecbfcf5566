// How many bytes of memory an object keeps: what limits that count true bytes are made of.
#pragma once

#include <cstddef>

#include "api/schema/type_info.h"

namespace muster::api {

// The bytes of the object and of all blocks that it holds, except the blocks that `beside`, an object of the same type
// or null, holds at the same place: those are kept by `beside` anyway. About: a block's share of the allocator's own
// bytes is not counted.
std::size_t footprint(const TypeInfo& type, const void* object, const void* beside = nullptr);

}  // namespace muster::api
