#include "client/metadata_patch.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace muster::client {
namespace {

namespace json = boost::json;
using api::meta::ObjectMeta;
using api::meta::OwnerReference;

json::array as_array(const std::vector<Text>& texts) {
    json::array out;
    for (const Text& text : texts) out.emplace_back(text.view());
    return out;
}

json::object as_json(const OwnerReference& owner) {
    json::object out{{"apiVersion", owner.api_version.view()},
                     {"kind", owner.kind.view()},
                     {"name", owner.name.view()},
                     {"uid", owner.uid.view()}};
    if (owner.controller) out["controller"] = *owner.controller;
    if (owner.block_owner_deletion) out["blockOwnerDeletion"] = *owner.block_owner_deletion;
    return out;
}

template <class Items, class Predicate>
bool any(const Items& items, Predicate predicate) {
    return std::any_of(items.begin(), items.end(), predicate);
}

void remove_matching_finalizers(const std::vector<Text>& names, ObjectMeta& metadata) {
    const auto is_named = [&](const Text& finalizer) {
        return std::find(names.begin(), names.end(), finalizer) != names.end();
    };
    if (!any(metadata.finalizers, is_named)) return;
    List<Text> kept;
    for (const Text& finalizer : metadata.finalizers)
        if (!is_named(finalizer)) kept.edit().push_back(finalizer);
    metadata.finalizers = std::move(kept);
}

void replace_owners(const MetadataPatch& patch, ObjectMeta& metadata) {
    const auto is_replaced = [&](const OwnerReference& owner) {
        const auto same = [&](const OwnerReference& added) { return added.uid == owner.uid; };
        return std::find(patch.remove_owners.begin(), patch.remove_owners.end(), owner.uid) !=
                   patch.remove_owners.end() ||
               any(patch.add_owners, same);
    };
    if (patch.add_owners.empty() && !any(metadata.owner_references, is_replaced)) return;
    List<OwnerReference> owners;
    for (const OwnerReference& owner : metadata.owner_references)
        if (!is_replaced(owner)) owners.edit().push_back(owner);
    for (const OwnerReference& owner : patch.add_owners) owners.edit().push_back(owner);
    metadata.owner_references = std::move(owners);
}

}  // namespace

void apply_metadata_patch(const MetadataPatch& patch, ObjectMeta& metadata) {
    remove_matching_finalizers(patch.remove_finalizers, metadata);
    for (const Text& finalizer : patch.add_finalizers) {
        const auto same = [&](const Text& present) { return present == finalizer; };
        if (!any(metadata.finalizers, same)) metadata.finalizers.edit().push_back(finalizer);
    }
    replace_owners(patch, metadata);
    for (const auto& [key, value] : patch.set_annotations) metadata.annotations.set(key, value);
    for (const Text& key : patch.remove_annotations) metadata.annotations.erase(key);
}

std::string format_metadata_patch(const MetadataPatch& patch) {
    json::object metadata;
    if (!patch.uid.empty()) metadata["uid"] = patch.uid.view();
    if (!patch.resource_version.empty()) metadata["resourceVersion"] = patch.resource_version.view();
    if (!patch.add_finalizers.empty()) metadata["finalizers"] = as_array(patch.add_finalizers);
    if (!patch.remove_finalizers.empty())
        metadata["$deleteFromPrimitiveList/finalizers"] = as_array(patch.remove_finalizers);
    json::array owners;
    for (const OwnerReference& owner : patch.add_owners) owners.emplace_back(as_json(owner));
    for (const Text& uid : patch.remove_owners)
        owners.emplace_back(json::object{{"$patch", "delete"}, {"uid", uid.view()}});
    if (!owners.empty()) metadata["ownerReferences"] = std::move(owners);
    json::object annotations;
    for (const auto& [key, value] : patch.set_annotations) annotations[key.view()] = value.view();
    for (const Text& key : patch.remove_annotations) annotations[key.view()] = nullptr;
    if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
    return json::serialize(json::object{{"metadata", std::move(metadata)}});
}

}  // namespace muster::client
