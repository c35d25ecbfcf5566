// The version of this build: the project's in CMakeLists.txt. Only version.cc is compiled again when it changes.
#pragma once

#include <string>

namespace muster {

std::string version();

}  // namespace muster
