// Makes a directory that was written under another name appear whole: all or nothing, also when the power fails.
#pragma once

#include <string>

#include "base/result.h"

namespace muster::os {

// Syncs all files and directories in `unfinished`, gives it the name `finished`, and syncs the directory that holds it.
// Both names must be in the same directory. kAlreadyExists: something has the name `finished`. After a failure the
// directory still has its first name, or it has the new name and is whole but the new name may not be on disk.
Result<> publish_directory(const std::string& unfinished, const std::string& finished);

}  // namespace muster::os
