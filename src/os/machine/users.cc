#include "os/machine/users.h"

#include <grp.h>
#include <pwd.h>

#include <charconv>
#include <limits>

namespace muster::os {
namespace {

constexpr std::size_t kEntryMax = 16u << 10;
constexpr int kGroupsMax = 1024;

std::optional<std::uint32_t> as_number(const std::string& text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // The highest number is no user to the kernel.
    if (error != std::errc() || end != text.data() + text.size() || number == std::numeric_limits<std::uint32_t>::max())
        return {};
    return number;
}

}  // namespace

std::optional<MachineUser> find_user(const std::string& name) {
    std::vector<char> room(kEntryMax);
    passwd entry{};
    passwd* found = nullptr;
    const auto number = as_number(name);
    if (number)
        (void)::getpwuid_r(*number, &entry, room.data(), room.size(), &found);
    else
        (void)::getpwnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
    if (!found && !number) return {};
    if (!found) return MachineUser{*number, *number, {*number}};
    MachineUser user{found->pw_uid, found->pw_gid, {}};
    gid_t groups[kGroupsMax];
    int count = kGroupsMax;
    if (::getgrouplist(found->pw_name, found->pw_gid, groups, &count) >= 0) user.groups.assign(groups, groups + count);
    return user;
}

std::string user_name(std::int64_t user) {
    std::vector<char> room(kEntryMax);
    passwd entry{};
    passwd* found = nullptr;
    (void)::getpwuid_r(static_cast<uid_t>(user), &entry, room.data(), room.size(), &found);
    return found ? found->pw_name : std::to_string(user);
}

}  // namespace muster::os
