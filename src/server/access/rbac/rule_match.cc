#include "server/access/rbac/rule_match.h"

namespace muster::server {
namespace {

bool has_or_star(const List<Text>& texts, std::string_view wanted) {
    for (const Text& text : texts)
        if (text == "*" || text == wanted) return true;
    return false;
}

// "pods", "pods/log", "*/log" and "*" match pods' log; "pods" does not.
bool resource_matches(std::string_view rule, const Attributes& attributes) {
    if (rule == "*") return true;
    if (attributes.subresource.empty()) return rule == attributes.resource;
    if (!rule.ends_with(attributes.subresource)) return false;
    rule.remove_suffix(attributes.subresource.size());
    if (!rule.ends_with('/')) return false;
    rule.remove_suffix(1);
    return rule == "*" || rule == attributes.resource;
}

bool any_resource_matches(const List<Text>& resources, const Attributes& attributes) {
    for (const Text& resource : resources)
        if (resource_matches(resource, attributes)) return true;
    return false;
}

bool name_matches(const List<Text>& names, std::string_view wanted) {
    if (names.empty()) return true;
    for (const Text& name : names)
        if (name == wanted) return true;
    return false;
}

}  // namespace

bool path_matches(std::string_view pattern, std::string_view path) {
    if (pattern == path) return true;
    if (!pattern.ends_with('*')) return false;
    while (pattern.ends_with('*')) pattern.remove_suffix(1);
    return path.starts_with(pattern);
}

bool rule_allows(const api::rbac::PolicyRule& rule, const Attributes& attributes) {
    if (attributes.is_path) {
        if (rule.non_resource_urls.empty() || !has_or_star(rule.verbs, attributes.verb)) return false;
        for (const Text& pattern : rule.non_resource_urls)
            if (path_matches(pattern, attributes.path)) return true;
        return false;
    }
    return !rule.resources.empty() && has_or_star(rule.verbs, attributes.verb) &&
           has_or_star(rule.api_groups, attributes.group) && any_resource_matches(rule.resources, attributes) &&
           name_matches(rule.resource_names, attributes.name);
}

}  // namespace muster::server
