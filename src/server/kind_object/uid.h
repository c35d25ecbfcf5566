// Identities of objects: UUIDs of version 4, from a generator that a test can repeat.
#pragma once

#include <string>

#include "base/prng.h"

namespace muster::server {

std::string make_uid(Prng& random);

}  // namespace muster::server
