// The process's memory as the operating system sees it. Programs of the release build allocate with jemalloc, set up in
// memory.cc; sanitizers bring their own allocator.
#pragma once

#include <cstddef>

namespace muster::os {

// Gives free memory back to the system now, rather than after a while.
void release_free_memory();
// Lets go of what is mapped of the program and its libraries. Most of it was touched only to start: relocations,
// initialisers, the reading of certificates. These are unchanged pages of files, so what is needed again comes back by
// itself, from the system's cache. To be called when the start is over.
void release_program_pages();
// What the process occupies, and what of it was asked for and not freed yet.
std::size_t resident_bytes();
std::size_t allocated_bytes();

}  // namespace muster::os
