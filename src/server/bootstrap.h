// What every server has from its first start on: the namespaces, the two system priority classes, the default roles.
#pragma once

#include "base/prng.h"
#include "server/objects/objects.h"

namespace muster::server {

// Makes what is missing; what somebody changed stays. The writes are durable when the store says so.
Result<> ensure_first_objects(Objects& objects, std::uint64_t seed);

}  // namespace muster::server
