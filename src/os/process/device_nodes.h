// Device nodes in a tree of files that is not trusted, such as an image.
#pragma once

#include <string>

#include "base/result.h"

namespace muster::os {

// Removes every device node below the directory. Links are not followed, and other file systems are not entered.
Result<> remove_device_nodes(const std::string& directory);

}  // namespace muster::os
