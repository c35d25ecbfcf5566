// Creates files that every user may write, for processes of other users, and directories whose content need not survive
// a loss of power.
#pragma once

#include <string>

#include "base/result.h"

namespace muster::os {

// Makes an empty file, and the directories above it for us alone. One that is there is emptied.
Result<> make_open_file(const std::string& path);

// Makes a directory for us alone, and those above it, without waiting for the disk. There already is fine.
Result<> make_directories(const std::string& path);

}  // namespace muster::os
