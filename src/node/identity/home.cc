#include "node/identity/home.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::node {
namespace {

constexpr const char* kNoHome = "/";

// name:password:user:group:comment:home:shell
std::string_view passwd_field(std::string_view line, int number) {
    for (; number > 0; --number) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return {};
        line.remove_prefix(colon + 1);
    }
    return line.substr(0, line.find(':'));
}

// Calls take(line) for every line that is no comment, until it says that it has enough.
template <class Take>
void each_entry(std::string_view text, const Take& take) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!line.starts_with('#') && take(line)) return;
    }
}

// The user's line; empty when there is none.
std::string_view find_user(std::string_view passwd, std::int64_t user) {
    const std::string number = std::to_string(user);
    std::string_view found;
    each_entry(passwd, [&](std::string_view line) {
        if (passwd_field(line, 2) != number) return false;
        found = line;
        return true;
    });
    return found;
}

std::optional<std::uint32_t> parse_id(std::string_view text) {
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return id;
}

// Whether a list of names, separated by commas, holds this one.
bool lists_name(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const std::size_t comma = std::min(names.find(','), names.size());
        if (names.substr(0, comma) == name) return true;
        names.remove_prefix(std::min(comma + 1, names.size()));
    }
    return false;
}

}  // namespace

std::string find_home(std::string_view passwd, std::int64_t user) {
    const std::string_view home = passwd_field(find_user(passwd, user), 5);
    return home.empty() ? kNoHome : std::string(home);
}

UserGroups find_groups(std::string_view passwd, std::string_view group, std::int64_t user) {
    UserGroups groups;
    const std::string_view line = find_user(passwd, user);
    if (line.empty()) return groups;
    const std::string_view name = passwd_field(line, 0);
    groups.primary = parse_id(passwd_field(line, 3)).value_or(0);
    each_entry(group, [&](std::string_view entry) {
        const auto id = parse_id(passwd_field(entry, 2));
        if (id && lists_name(passwd_field(entry, 3), name)) groups.further.push_back(*id);
        return false;
    });
    return groups;
}

}  // namespace muster::node
