#include "server/rest/route.h"

#include <algorithm>

#include "api/selector/field_selector.h"
#include "base/ascii.h"

namespace muster::server {
namespace {

std::string verb_of(std::string_view method, const Route& route, const Query& query) {
    if (method == "GET" || method == "HEAD") {
        if (!route.name.empty()) return "get";
        return query.is_set("watch") ? "watch" : "list";
    }
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return route.name.empty() ? "deletecollection" : "delete";
    return lower(method);
}

// Where the resource begins in /api/v1/… and /apis/batch/v1/…; 0 when it is no path of a resource.
std::size_t resource_at(const std::vector<std::string>& segments) {
    if (segments.size() > 2 && segments[0] == "api") return 2;
    if (segments.size() > 3 && segments[0] == "apis") return 3;
    return 0;
}

// What cannot be part of a path cannot be an object's name.
bool is_path_segment(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

// The one name that a list or watch can show. Not of a deletecollection: names do not restrict that, as upstream.
std::string selected_name(const Route& route, const Query& query) {
    if (route.verb != "list" && route.verb != "watch") return {};
    const Result<api::FieldSelector> fields = api::FieldSelector::parse(query.get("fieldSelector"));
    const auto name = fields.ok() ? fields->exact_value("metadata.name") : std::nullopt;
    return name && is_path_segment(*name) ? std::string(*name) : std::string();
}

// Why a method is not allowed.
std::string refusal_of(const ServedResource& served) {
    if (!served.empty) return "the server does not allow this method on the requested resource";
    std::string name = served.kind->options.plural;
    if (*served.kind->group) name.append(".").append(served.kind->group);
    return name +
           " are not served here: their list is there for clients that read it, always empty, and cannot be "
           "written";
}

}  // namespace

Route parse_route(std::string_view method, const Target& target, KindRegistry::Ptr kinds) {
    Route route;
    route.kinds = std::move(kinds);
    const std::vector<std::string>& segments = target.segments;
    std::size_t at = resource_at(segments);
    if (at == 0) {
        route.verb = lower(method);
        route.path = target.path();
        return route;
    }
    route.is_resource = true;
    if (at == 3) route.group = segments[1];
    route.version = segments[at - 1];
    const std::size_t count = segments.size() - at;
    // A namespace's own parts look like resources inside it.
    const bool inside =
        segments[at] == "namespaces" && count > 2 && segments[at + 2] != "status" && segments[at + 2] != "finalize";
    if (inside) {
        route.namespace_ = segments[at + 1];
        at += 2;
    }
    route.resource = segments[at];
    if (segments.size() > at + 1) route.name = segments[at + 1];
    for (std::size_t i = at + 2; i < segments.size(); ++i)
        route.subresource.append(i == at + 2 ? "" : "/").append(segments[i]);
    route.verb = verb_of(method, route, target.query);
    route.selected_name = selected_name(route, target.query);
    route.served = route.kinds->find_served(route.group, route.version, route.resource);
    if (route.served && !route.subresource.empty()) route.part = route.served->find_subresource(route.subresource);
    return route;
}

Result<Verb> check_served(const Route& route) {
    const Error absent{Code::kNotFound, "the server could not find the requested resource"};
    const ServedResource* served = route.served;
    if (!served || (!route.subresource.empty() && !route.part)) return absent;
    // An object without its namespace is nowhere, and so is one in a namespace that its kind does not have.
    if (served->kind->options.namespaced ? route.namespace_.empty() && !route.name.empty() : !route.namespace_.empty())
        return absent;
    const Error refused{Code::kMethodNotAllowed, refusal_of(*served)};
    const Verbs verbs = route.part ? route.part->verbs : served->verbs;
    for (const Verb verb : kAllVerbs) {
        if (name_of(verb) != route.verb || !verbs.has(verb)) continue;
        const bool on_all = verb == Verb::kList || verb == Verb::kWatch || verb == Verb::kDeleteCollection ||
                            (verb == Verb::kCreate && !route.part);
        const bool reads_all = verb == Verb::kList || verb == Verb::kWatch;
        if (route.namespace_.empty() && served->kind->options.namespaced && !reads_all && !served->virtual_only) break;
        if (on_all == route.name.empty()) return verb;
    }
    return refused;
}

}  // namespace muster::server
