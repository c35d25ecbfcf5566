// How the findings of checks name containers and values.
#include "api/security/checks.h"

namespace muster::api::security {

std::string join_plain(const Names& names, std::string_view between) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text.append(i == 0 ? "" : between).append(names[i]);
    return text;
}

std::string join_quoted(const Names& names) {
    return names.empty() ? std::string() : "\"" + join_plain(names, "\", \"") + "\"";
}

std::string join_quoted(const NameSet& names) { return join_quoted(Names(names.begin(), names.end())); }

std::string containers_named(const Names& names) {
    return std::string(plural("container", "containers", names.size())) + " " + join_quoted(names);
}

std::string setters(bool pod, const Names& containers) {
    if (containers.empty()) return pod ? "pod" : "";
    return (pod ? "pod and " : "") + containers_named(containers);
}

}  // namespace muster::api::security
