#include "os/machine/entropy.h"

#include <sys/random.h>

#include "base/check.h"

namespace muster::os {

std::uint64_t draw_seed() {
    std::uint64_t seed = 0;
    CHECK(::getrandom(&seed, sizeof(seed), 0) == sizeof(seed));
    return seed;
}

}  // namespace muster::os
