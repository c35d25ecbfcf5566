// The process's memory as the operating system sees it. Programs of the release build allocate with jemalloc, set up in
// memory.cc; sanitizers bring their own allocator.
#pragma once

#include <cstddef>

namespace muster::os {

// Gives free memory back to the system now, rather than after a while.
void release_free_memory();
// What the process occupies.
std::size_t resident_bytes();

}  // namespace muster::os
