// Files of the kernel's own, which say no size beforehand.
#pragma once

#include <optional>
#include <string>

#include "os/descriptor.h"

namespace muster::os {

// The whole of it; nothing when it cannot be read.
std::optional<std::string> read_proc(const std::string& path);
std::optional<std::string> read_proc(const Descriptor& file);

}  // namespace muster::os
