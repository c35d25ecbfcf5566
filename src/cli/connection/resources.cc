#include "cli/connection/resources.h"

#include <algorithm>
#include <boost/json/array.hpp>

#include "base/ascii.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr const char* kAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

std::vector<std::string> texts_at(const json::value& value, std::string_view pointer) {
    std::vector<std::string> out;
    for (const json::value& item : array_at(value, pointer))
        if (item.is_string()) out.emplace_back(item.as_string());
    return out;
}

void add_resources(const json::value& document, std::vector<Resource>& out) {
    for (const json::value& group : array_at(document, "/items")) {
        bool preferred = true;  // the first version is
        for (const json::value& version : array_at(group, "/versions")) {
            for (const json::value& from : array_at(version, "/resources")) {
                Resource resource;
                resource.group = text_at(group, "/metadata/name");
                resource.version = text_at(version, "/version");
                resource.kind = text_at(from, "/responseKind/kind");
                resource.plural = text_at(from, "/resource");
                resource.singular = text_at(from, "/singularResource");
                resource.namespaced = text_at(from, "/scope") == "Namespaced";
                resource.short_names = texts_at(from, "/shortNames");
                resource.categories = texts_at(from, "/categories");
                resource.verbs = texts_at(from, "/verbs");
                const bool known = !preferred && std::ranges::any_of(out, [&](const Resource& other) {
                    return other.group == resource.group && other.plural == resource.plural;
                });
                if (!known) out.push_back(std::move(resource));
            }
            preferred = false;
        }
    }
}

bool is_named(const Resource& resource, std::string_view word) {
    return word == resource.plural || word == resource.singular || word == lower(resource.kind) ||
           std::ranges::find(resource.short_names, word) != resource.short_names.end();
}

}  // namespace

bool Resource::can(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

std::string Resource::object_name(std::string_view name) const {
    return (singular.empty() ? plural : singular) + (group.empty() ? "" : "." + group) + "/" + std::string(name);
}

std::string Resource::path(std::string_view namespace_, std::string_view name) const {
    std::string out = group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
    if (namespaced && !namespace_.empty()) out += "/namespaces/" + client::escape_query(namespace_);
    out += "/" + plural;
    if (!name.empty()) out += "/" + client::escape_query(name);
    return out;
}

Result<ResourceMap> ResourceMap::fetch(Session& session) {
    ResourceMap map;
    for (const char* target : {"/api", "/apis"}) {
        TRY_ASSIGN(const json::value document, call(session, {.target = target, .accept = kAccept}));
        if (text_at(document, "/kind") != "APIGroupDiscoveryList")
            return Error{Code::kUnavailable,
                         "the server does not offer aggregated discovery (Kubernetes 1.27 or later)"};
        add_resources(document, map.resources_);
    }
    return map;
}

Result<const Resource*> ResourceMap::find(std::string_view word) const {
    const std::string wanted = lower(word);
    for (const Resource& resource : resources_)
        if (is_named(resource, wanted)) return &resource;
    const std::size_t dot = wanted.find('.');
    if (dot != std::string::npos) {
        const std::string name = wanted.substr(0, dot);
        const std::string group = wanted.substr(dot + 1);
        for (const Resource& resource : resources_)
            if (is_named(resource, name) &&
                (group == resource.group || group == resource.version + "." + resource.group))
                return &resource;
    }
    return Error{Code::kNotFound, "the server doesn't have a resource type \"" + std::string(word) + "\""};
}

Result<std::vector<const Resource*>> ResourceMap::find_all(std::string_view words) const {
    std::vector<const Resource*> out;
    while (!words.empty()) {
        const std::size_t comma = words.find(',');
        const std::string word = lower(words.substr(0, comma));
        words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
        const std::size_t before = out.size();
        for (const Resource& resource : resources_)
            if (std::ranges::find(resource.categories, word) != resource.categories.end() && resource.can("list"))
                out.push_back(&resource);
        if (out.size() != before) continue;
        TRY_ASSIGN(const Resource* resource, find(word));
        out.push_back(resource);
    }
    return out;
}

Result<const Resource*> ResourceMap::find_kind(std::string_view api_version, std::string_view kind) const {
    for (const Resource& resource : resources_)
        if (resource.kind == kind && resource.api_version() == api_version) return &resource;
    return Error{Code::kNotFound,
                 "no matches for kind \"" + std::string(kind) + "\" in version \"" + std::string(api_version) + "\""};
}

}  // namespace muster::cli
