#include "controllers/owners.h"

namespace muster::controllers {

using api::meta::ObjectMeta;
using api::meta::OwnerReference;

OwnerReference owner_reference(const OwnerKind& kind, const ObjectMeta& owner) {
    OwnerReference reference;
    reference.api_version = kind.api_version;
    reference.kind = kind.kind;
    reference.name = owner.name;
    reference.uid = owner.uid;
    return reference;
}

OwnerReference controller_reference(const OwnerKind& kind, const ObjectMeta& owner) {
    OwnerReference reference = owner_reference(kind, owner);
    reference.controller = true;
    reference.block_owner_deletion = true;
    return reference;
}

const OwnerReference* controller_of(const ObjectMeta& metadata) {
    for (const OwnerReference& owner : metadata.owner_references)
        if (owner.controller.value_or(false)) return &owner;
    return nullptr;
}

const OwnerReference* controller_of(const ObjectMeta& metadata, const OwnerKind& kind) {
    const OwnerReference* owner = controller_of(metadata);
    return owner && owner->kind == kind.kind && owner->api_version == kind.api_version ? owner : nullptr;
}

}  // namespace muster::controllers
