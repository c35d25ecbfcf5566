// Users of the machine, as its user database knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::os {

struct MachineUser {
    std::int64_t user = 0;
    std::int64_t group = 0;               // the first
    std::vector<std::uint32_t> groups{};  // all
};

// By name, or by number; a number that the database does not know has the group of the same number. Nothing when there
// is no user of that name.
std::optional<MachineUser> find_user(const std::string& name);

// The number itself when the database does not know it.
std::string user_name(std::int64_t user);

}  // namespace muster::os
