#include "server/registry/kind_registry.h"

#include <algorithm>

#include "api/kinds/kind_list.h"
#include "base/check.h"

namespace muster::server {
namespace {

using api::KindInfo;

bool is_of(const ServedResource& resource, std::string_view group, std::string_view version) {
    return resource.kind->group == group && resource.kind->version == version;
}

bool has_smaller_plural(const ServedResource& a, const ServedResource& b) {
    return std::string_view(a.kind->options.plural) < std::string_view(b.kind->options.plural);
}

// Those of defined kinds come after all others, by name.
std::vector<GroupVersion> versions_of(const std::vector<ServedResource>& resources) {
    const std::span<const GroupVersion> declared = declared_versions();
    std::vector<GroupVersion> versions(declared.begin(), declared.end());
    const auto is_same = [](const GroupVersion& a, const GroupVersion& b) {
        return a.group == b.group && a.version == b.version;
    };
    for (const ServedResource& resource : resources) {
        const GroupVersion one{resource.kind->group, resource.kind->version};
        if (std::any_of(versions.begin(), versions.end(), [&](const auto& known) { return is_same(known, one); }))
            continue;
        CHECK(resource.kind->is_defined(), "every version of a declared kind has its place in discovery");
        versions.push_back(one);
    }
    std::sort(versions.begin() + static_cast<std::ptrdiff_t>(declared.size()), versions.end(),
              [](const GroupVersion& a, const GroupVersion& b) {
                  return std::pair(a.group, a.version) < std::pair(b.group, b.version);
              });
    return versions;
}

}  // namespace

std::string storage_prefix(const KindInfo& kind) {
    std::string prefix = "/";
    prefix += *kind.group ? kind.group : "core";
    prefix += '/';
    prefix += kind.options.plural;
    prefix += '/';
    return prefix;
}

const KindRegistry::Ptr& KindRegistry::declared() {
    static const Ptr registry = make({}).value();
    return registry;
}

Result<KindRegistry::Ptr> KindRegistry::with(const std::vector<api::DefinedKind>& defined) {
    return defined.empty() ? Result<Ptr>(declared()) : make(defined);
}

Result<KindRegistry::Ptr> KindRegistry::make(const std::vector<api::DefinedKind>& defined) {
    const std::shared_ptr<KindRegistry> registry(new KindRegistry);
    std::vector<ServedResource> all = declared_resources();
    Result<> stored;
    api::for_each_kind<api::StoredKinds>([&]<class K>() {
        if (stored.ok()) stored = registry->add_stored(api::kind_info<K>());
    });
    TRY(stored);
    for (const api::DefinedKind& kind : defined) {
        const KindInfo& info = api::kind_info_of(kind);
        TRY(registry->add_stored(info));
        ServedResource resource{&info, kFullVerbs};
        if (kind.has_status) {
            registry->parts_.push_back(
                std::make_unique<const ServedSubresource>(ServedSubresource{"status", &info, kStatusVerbs}));
            resource.subresources = std::span(registry->parts_.back().get(), 1);
        }
        all.push_back(resource);
    }
    std::stable_sort(all.begin(), all.end(), has_smaller_plural);
    for (const auto& [group, version] : versions_of(all)) {
        std::vector<ServedResource> some;
        for (const ServedResource& resource : all)
            if (is_of(resource, group, version)) some.push_back(resource);
        TRY(registry->add_version(group, version, std::move(some)));
    }
    registry->documents_.versions = std::make_unique<RegistryDocument[]>(registry->versions_.size());
    return Ptr(registry);
}

Result<> KindRegistry::add_stored(const KindInfo& kind) {
    const auto [found, added] = stored_.emplace(storage_prefix(kind), &kind);
    if (added) {
        stored_kinds_.push_back(&kind);
        return {};
    }
    return Error{Code::kAlreadyExists, found->first + " is the place of another kind"};
}

Result<> KindRegistry::add_version(std::string_view group, std::string_view version,
                                   std::vector<ServedResource> resources) {
    const auto twice = std::adjacent_find(resources.begin(), resources.end(),
                                          [](const auto& a, const auto& b) { return !has_smaller_plural(a, b); });
    if (twice != resources.end())
        return Error{Code::kAlreadyExists, std::string(twice->kind->options.plural) + " of " + std::string(group) +
                                               "/" + std::string(version) + " are served already"};
    resources_.push_back(std::move(resources));
    versions_.push_back({group, version, resources_.back()});
    return {};
}

const ServedVersion* KindRegistry::find_version(std::string_view group, std::string_view version) const {
    for (const ServedVersion& served : versions_)
        if (served.group == group && served.version == version) return &served;
    return nullptr;
}

const ServedVersion* KindRegistry::find_group(std::string_view group) const {
    for (const ServedVersion& served : versions_)
        if (served.group == group) return &served;
    return nullptr;
}

const ServedResource* KindRegistry::find_served(std::string_view group, std::string_view version,
                                                std::string_view plural) const {
    const ServedVersion* served = find_version(group, version);
    return served ? served->find(plural) : nullptr;
}

const KindInfo* KindRegistry::find_stored(std::string_view prefix) const {
    const auto found = stored_.find(prefix);
    return found == stored_.end() ? nullptr : found->second;
}

}  // namespace muster::server
