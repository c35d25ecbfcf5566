#include "controllers/garbage/identity.h"

#include "api/kinds/all.h"

namespace muster::controllers {

const api::KindInfo* find_kind_of(std::string_view api_version, std::string_view kind,
                                  const CollectedKinds& collected) {
    const std::size_t slash = api_version.find('/');
    const bool is_core = slash == std::string_view::npos;
    const std::string_view group = is_core ? std::string_view() : api_version.substr(0, slash);
    const std::string_view version = is_core ? api_version : api_version.substr(slash + 1);
    for (const api::KindInfo* known : collected)
        if (kind == known->kind && group == known->group && version == known->version) return known;
    return api::find_kind(group, version, kind);
}

ObjectIdentity identity_of(const api::KindInfo& kind, const api::meta::ObjectMeta& metadata) {
    return {kind.api_version(), kind.kind, metadata.namespace_, metadata.name, metadata.uid};
}

ObjectIdentity claimed_owner(const api::meta::OwnerReference& reference, const Text& dependent_namespace,
                             const CollectedKinds& collected) {
    const api::KindInfo* kind = find_kind_of(reference.api_version, reference.kind, collected);
    const bool has_namespace = !kind || kind->options.namespaced;
    return {reference.api_version, reference.kind, has_namespace ? dependent_namespace : Text(), reference.name,
            reference.uid};
}

std::string format_identity(const ObjectIdentity& identity) {
    std::string text = "[";
    text.append(identity.api_version).append("/").append(identity.kind).append(", namespace: ");
    text.append(identity.namespace_).append(", name: ").append(identity.name).append(", uid: ").append(identity.uid);
    return text += ']';
}

}  // namespace muster::controllers
