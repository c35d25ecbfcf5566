#include "os/machine/time_zones.h"

#include <fstream>
#include <iterator>

namespace muster::os {
namespace {

bool is_inside(std::string_view name) {
    return !name.empty() && name.size() < 256 && name.front() != '/' && name.find("..") == std::string_view::npos &&
           name.find('\\') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool is_zone_file(const std::string& path) {
    char magic[4] = {};
    std::ifstream file(path, std::ios::binary);
    return file.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == "TZif";
}

}  // namespace

bool TimeZones::knows(std::string_view name) {
    if (name == "UTC") return true;
    if (!is_inside(name) || name == "Local") return false;
    if (const auto found = known_.find(name); found != known_.end()) return found->second;
    const bool known = is_zone_file(directory_ + "/" + std::string(name));
    if (known_.size() < kRememberedMax) known_.emplace(name, known);
    return known;
}

Result<std::string> TimeZones::read(std::string_view name) const {
    const std::string path = directory_ + "/" + std::string(name);
    if (!is_inside(name) || name == "Local" || !is_zone_file(path))
        return Error{Code::kNotFound, "unknown time zone " + std::string(name)};
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace muster::os
