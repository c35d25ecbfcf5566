// `muster completion SHELL`: the script that lets a shell complete what is typed. It asks the program itself each time,
// with a verb that is not for people (complete.h), so that all shells offer the same.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

// For bash, zsh or fish; kBadRequest for any other.
Result<std::string> completion_script(std::string_view shell);

}  // namespace muster::cli
