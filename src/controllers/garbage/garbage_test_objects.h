// Metadata for the garbage collector's tests: Jobs as owners, by UID. An object's name is its UID.
#pragma once

#include <initializer_list>

#include "api/kinds/meta/meta.h"
#include "controllers/garbage/identity.h"

namespace muster::controllers::testing {

inline api::meta::OwnerReference reference_to(const char* uid, bool blocking = true) {
    api::meta::OwnerReference reference;
    reference.api_version = "batch/v1";
    reference.kind = "Job";
    reference.name = uid;
    reference.uid = uid;
    reference.block_owner_deletion = blocking;
    return reference;
}

inline api::meta::ObjectMeta owned_by(std::initializer_list<const char*> owners, bool blocking = true) {
    api::meta::ObjectMeta metadata;
    for (const char* uid : owners) metadata.owner_references.edit().push_back(reference_to(uid, blocking));
    return metadata;
}

inline ObjectIdentity job_identity(const char* uid, const char* in_namespace = "default") {
    return {"batch/v1", "Job", in_namespace, uid, uid};
}

}  // namespace muster::controllers::testing
