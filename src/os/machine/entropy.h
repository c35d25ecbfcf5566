// Chance that cannot be repeated: the seed of a process's generators (base/prng.h). Drawn once, in main.
#pragma once

#include <cstdint>

namespace muster::os {

std::uint64_t draw_seed();

}  // namespace muster::os
