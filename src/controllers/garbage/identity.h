// Which object: what an owner reference names, plus the namespace it is looked for in. Two references to one UID that
// differ in anything else name two identities, of which at most one exists.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "base/text.h"

namespace muster::controllers {

struct ObjectIdentity {
    Text api_version;  // "batch/v1"
    Text kind;
    Text namespace_;  // empty for kinds that have none
    Text name;
    Text uid;
    bool operator==(const ObjectIdentity&) const = default;
    std::strong_ordering operator<=>(const ObjectIdentity&) const = default;
};

// The kinds that are collected; owners may be of other declared kinds, too.
using CollectedKinds = std::vector<const api::KindInfo*>;

// The kind that "batch/v1" and "Job" name, or null when it is neither collected nor declared.
const api::KindInfo* find_kind_of(std::string_view api_version, std::string_view kind, const CollectedKinds& collected);

ObjectIdentity identity_of(const api::KindInfo& kind, const api::meta::ObjectMeta& metadata);

// Where a dependent's reference says its owner is: in the dependent's namespace, or in none when the kind has none. A
// kind we do not know is taken for one with namespaces.
ObjectIdentity claimed_owner(const api::meta::OwnerReference& reference, const Text& dependent_namespace,
                             const CollectedKinds& collected);

// "[batch/v1/Job, namespace: n, name: j, uid: u]", as events write it.
std::string format_identity(const ObjectIdentity& identity);

}  // namespace muster::controllers
