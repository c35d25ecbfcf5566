// Files of the kernel's own, which say no size beforehand.
#pragma once

#include <optional>
#include <string>

namespace muster::os {

// The whole of it; nothing when it cannot be read.
std::optional<std::string> read_proc(const std::string& path);

}  // namespace muster::os
