// The home directory of a container's user, as container runtimes set HOME: from the passwd file of the file system
// that the container sees. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::node {

// "/" when the file does not know the user or names no home.
std::string find_home(std::string_view passwd, std::int64_t user);

}  // namespace muster::node
