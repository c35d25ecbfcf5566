#include "server/discovery/documents.h"

namespace muster::server {
namespace {

using namespace api::apidiscovery::v2;  // NOLINT(google-build-using-namespace): most of its types stand below
using api::KindInfo;
using api::meta::APIGroup;
using api::meta::APIResource;
using api::meta::GroupVersionKind;

List<Text> verb_names(Verbs verbs) {
    std::vector<Text> names;
    for (const Verb verb : kAllVerbs)
        if (verbs.has(verb)) names.emplace_back(name_of(verb));
    return names;
}

// "a,b" as a list, null when there is nothing.
List<Text> words(std::string_view text) {
    List<Text> list;
    while (!text.empty()) {
        const std::size_t end = text.find(',');
        list.edit().emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return list;
}

bool is_of(const KindInfo& kind, const ServedVersion& version) {
    return kind.group == version.group && kind.version == version.version;
}

// Group and version are left out where they are those of the document.
GroupVersionKind response_kind(const KindInfo& kind, const ServedVersion& version) {
    GroupVersionKind out;
    out.kind = kind.kind;
    if (is_of(kind, version)) return out;
    out.group = kind.group;
    out.version = kind.version;
    return out;
}

APIResourceDiscovery discover(const ServedResource& resource, const ServedVersion& version) {
    APIResourceDiscovery out;
    out.resource = resource.kind->options.plural;
    out.response_kind = response_kind(*resource.kind, version);
    out.scope = resource.kind->options.namespaced ? "Namespaced" : "Cluster";
    out.singular_resource = resource.singular();
    out.verbs = verb_names(resource.verbs);
    out.short_names = words(resource.kind->options.short_names);
    out.categories = words(resource.kind->options.categories);
    for (const ServedSubresource& part : resource.subresources) {
        APISubresourceDiscovery& sub = out.subresources.edit().emplace_back();
        sub.subresource = part.name;
        sub.response_kind = response_kind(*part.kind, version);
        sub.verbs = verb_names(part.verbs);
    }
    return out;
}

APIResource base_entry(const ServedResource& resource, const KindInfo& kind, Verbs verbs,
                       const ServedVersion& version) {
    APIResource out;
    out.name = resource.kind->options.plural;
    out.namespaced = resource.kind->options.namespaced;
    out.kind = kind.kind;
    out.verbs = verb_names(verbs);
    if (!is_of(kind, version)) {
        out.group = kind.group;
        out.version = kind.version;
    }
    return out;
}

}  // namespace

APIGroupDiscoveryList aggregated_discovery(const KindRegistry& kinds, bool core) {
    APIGroupDiscoveryList list;
    list.items.edit();
    for (const ServedVersion& version : kinds.versions()) {
        if (version.group.empty() != core) continue;
        // The versions of a group stand together.
        if (list.items.empty() || !(list.items[list.items.size() - 1].metadata.name == version.group))
            list.items.edit().emplace_back().metadata.name = version.group;
        APIGroupDiscovery& group = list.items.edit().back();
        APIVersionDiscovery& discovered = group.versions.edit().emplace_back();
        discovered.version = version.version;
        discovered.freshness = "Current";
        for (const ServedResource& resource : version.resources)
            discovered.resources.edit().push_back(discover(resource, version));
    }
    return list;
}

api::meta::APIVersions core_versions(std::string_view server_address) {
    api::meta::APIVersions out;
    out.versions = {Text("v1")};
    auto& address = out.server_address_by_client_cidrs.edit().emplace_back();
    address.client_cidr = "0.0.0.0/0";
    address.server_address = server_address;
    return out;
}

APIGroup group_document(const KindRegistry& kinds, std::string_view name) {
    APIGroup group;
    group.name = name;
    for (const ServedVersion& version : kinds.versions()) {
        if (version.group != name) continue;
        auto& listed = group.versions.edit().emplace_back();
        listed.group_version = version.group_version();
        listed.version = version.version;
    }
    group.preferred_version = group.versions[0];
    return group;
}

api::meta::APIGroupList group_list(const KindRegistry& kinds) {
    api::meta::APIGroupList list;
    for (const ServedVersion& version : kinds.versions())
        if (!version.group.empty() && kinds.find_group(version.group) == &version)
            list.groups.edit().push_back(group_document(kinds, version.group));
    return list;
}

api::meta::APIResourceList resource_list(const ServedVersion& version) {
    api::meta::APIResourceList list;
    list.group_version = version.group_version();
    for (const ServedResource& resource : version.resources) {
        APIResource entry = base_entry(resource, *resource.kind, resource.verbs, version);
        entry.singular_name = resource.singular();
        entry.short_names = words(resource.kind->options.short_names);
        entry.categories = words(resource.kind->options.categories);
        list.resources.edit().push_back(std::move(entry));
        for (const ServedSubresource& part : resource.subresources) {
            APIResource sub = base_entry(resource, *part.kind, part.verbs, version);
            sub.name = std::string(resource.kind->options.plural) + "/" + std::string(part.name);
            list.resources.edit().push_back(std::move(sub));
        }
    }
    return list;
}

}  // namespace muster::server
