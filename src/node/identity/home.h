// The home directory and the groups of a container's user, as container runtimes take them from the passwd and group
// files of the file system that the container sees. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::node {

// "/" when the file does not know the user or names no home.
std::string find_home(std::string_view passwd, std::int64_t user);

struct UserGroups {
    std::int64_t primary = 0;  // 0 when the file does not know the user
    std::vector<std::uint32_t> further{};
};
UserGroups find_groups(std::string_view passwd, std::string_view group, std::int64_t user);

}  // namespace muster::node
