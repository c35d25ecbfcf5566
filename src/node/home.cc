#include "node/home.h"

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

}  // namespace

std::string find_home(std::string_view passwd, std::int64_t user) {
    const std::string number = std::to_string(user);
    while (!passwd.empty()) {
        const std::size_t end = passwd.find('\n');
        const std::string_view line = passwd.substr(0, end);
        passwd.remove_prefix(end == std::string_view::npos ? passwd.size() : end + 1);
        if (line.starts_with('#') || passwd_field(line, 2) != number) continue;
        const std::string_view home = passwd_field(line, 5);
        return home.empty() ? kNoHome : std::string(home);
    }
    return kNoHome;
}

}  // namespace muster::node
