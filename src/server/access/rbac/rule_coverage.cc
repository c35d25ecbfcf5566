#include "server/access/rbac/rule_coverage.h"

#include <algorithm>

#include "api/value/quote.h"
#include "server/access/rbac/rule_match.h"

namespace muster::server {
namespace {

using api::rbac::PolicyRule;

bool has(const List<Text>& texts, std::string_view wanted) {
    return std::any_of(texts.begin(), texts.end(), [&](const Text& text) { return text == wanted; });
}

// "pods/log" is covered by itself, by "*/log" and by "*".
bool covers_resource(const List<Text>& held, std::string_view resource) {
    if (has(held, "*") || has(held, resource)) return true;
    const std::size_t slash = resource.find('/');
    return slash != std::string_view::npos && has(held, "*" + std::string(resource.substr(slash)));
}

bool covers_path(const List<Text>& held, std::string_view path) {
    return std::any_of(held.begin(), held.end(), [&](const Text& pattern) { return path_matches(pattern, path); });
}

// The second is a piece.
bool covers(const PolicyRule& held, const PolicyRule& piece) {
    if (!has(held.verbs, "*") && !has(held.verbs, piece.verbs.front())) return false;
    if (!piece.non_resource_urls.empty()) return covers_path(held.non_resource_urls, piece.non_resource_urls.front());
    if (!has(held.api_groups, "*") && !has(held.api_groups, piece.api_groups.front())) return false;
    if (!covers_resource(held.resources, piece.resources.front())) return false;
    if (held.resource_names.empty()) return true;
    return !piece.resource_names.empty() && has(held.resource_names, piece.resource_names.front());
}

void append_list(std::string_view name, const List<Text>& texts, std::string& out) {
    if (texts.empty()) return;
    out.append(out.size() > 1 ? ", " : "").append(name).append(":[");
    for (std::size_t i = 0; i < texts.size(); ++i) out.append(i ? " " : "").append(api::in_quotes(texts[i]));
    out += ']';
}

bool differ_only_in_verbs(const PolicyRule& a, const PolicyRule& b) {
    return a.api_groups == b.api_groups && a.resources == b.resources && a.resource_names == b.resource_names;
}

}  // namespace

Rules break_down(const PolicyRule& rule) {
    Rules pieces;
    const List<Text> every{Text()};
    for (const Text& group : rule.api_groups)
        for (const Text& resource : rule.resources)
            for (const Text& verb : rule.verbs)
                for (const Text& name : rule.resource_names.empty() ? every : rule.resource_names) {
                    PolicyRule piece;
                    piece.verbs = {verb};
                    piece.api_groups = {group};
                    piece.resources = {resource};
                    if (!rule.resource_names.empty()) piece.resource_names = {name};
                    pieces.push_back(std::move(piece));
                }
    for (const Text& path : rule.non_resource_urls)
        for (const Text& verb : rule.verbs) {
            PolicyRule piece;
            piece.verbs = {verb};
            piece.non_resource_urls = {path};
            pieces.push_back(std::move(piece));
        }
    return pieces;
}

Rules uncovered_rules(const Rules& held, const Rules& wanted) {
    Rules uncovered;
    for (const PolicyRule& rule : wanted)
        for (PolicyRule& piece : break_down(rule))
            if (std::none_of(held.begin(), held.end(), [&](const PolicyRule& mine) { return covers(mine, piece); }))
                uncovered.push_back(std::move(piece));
    return uncovered;
}

Rules compact_rules(const Rules& pieces) {
    Rules compact;
    for (const PolicyRule& piece : pieces) {
        const auto same = piece.non_resource_urls.empty() ? std::find_if(compact.begin(), compact.end(),
                                                                         [&](const PolicyRule& rule) {
                                                                             return rule.non_resource_urls.empty() &&
                                                                                    differ_only_in_verbs(rule, piece);
                                                                         })
                                                          : compact.end();
        if (same == compact.end()) {
            compact.push_back(piece);
        } else {
            for (const Text& verb : piece.verbs) same->verbs.edit().push_back(verb);
        }
    }
    return compact;
}

std::string describe_rule(const PolicyRule& rule) {
    std::string out = "{";
    append_list("APIGroups", rule.api_groups, out);
    append_list("Resources", rule.resources, out);
    append_list("NonResourceURLs", rule.non_resource_urls, out);
    append_list("ResourceNames", rule.resource_names, out);
    append_list("Verbs", rule.verbs, out);
    return out + "}";
}

}  // namespace muster::server
