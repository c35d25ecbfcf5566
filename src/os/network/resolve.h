// Names of machines.
#pragma once

#include <string>
#include <vector>

#include "os/network/network.h"

namespace muster::os {

// The numeric addresses of a host, in the order in which to try them; a numeric one is its own. Blocks. kUnavailable
// when the name is not known.
Result<std::vector<Address>> resolve(const std::string& host, std::uint16_t port);

}  // namespace muster::os
