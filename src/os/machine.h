// What the machine says of itself.
#pragma once

#include <string>

namespace muster::os {

// Empty when it has none.
std::string host_name();
// At least 1.
int processor_count();

}  // namespace muster::os
