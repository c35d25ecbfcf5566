// The steps of an update that need nothing but the two states of the object: what the new state must say of itself,
// what of it is taken for which part, and whether the object goes with it. Pure. `Objects::update` calls them in this
// order, with admission in between.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "server/kind_object/kind_object.h"
#include "server/objects/place.h"

namespace muster::server {

// What a UID in the new state means that is not the stored object's.
enum class SentUid {
    kPrecondition,  // of PUT: the write is about another object, a conflict
    kField,         // of PATCH: an attempt to change the field, which validation refuses
};

// Fills in or clears the namespace. kBadRequest when the object says another one.
Result<> settle_namespace(const Place& place, api::meta::ObjectMeta& metadata);

// Checks name, UID and version of the new state and settles what it may leave out. kBadRequest, kConflict, kInvalid.
Result<> settle_update(const Place& place, SentUid sent_uid, api::meta::ObjectMeta& now,
                       const api::meta::ObjectMeta& before);

// Whether the new state is the stored object without some of its finalizers. Removing finalizers must always be
// possible, even from an object that validation would refuse today.
bool only_removes_finalizers(const KindObject& now, const KindObject& before);

// How the rules are applied to the new state.
enum class Checks { kAll, kNone };  // kNone: it only removes finalizers

struct PreparedUpdate {
    std::shared_ptr<KindObject> object;  // what is to be stored
    std::vector<std::string> warnings{};
};
// Takes from the draft what belongs to the part, and all else from the stored object. kInvalid.
Result<PreparedUpdate> prepare_update(const Place& place, Part part, Checks checks, std::shared_ptr<KindObject> draft,
                                      const KindObject& before, const api::RuleContext& context);

// Of a kind that has finalizers in its spec beside those of the metadata: Namespace.
bool has_spec_finalizers(const KindObject& object);
// Whether the object goes with this update: it is being deleted, and no finalizer is left.
bool is_last_update(const KindObject& now, const KindObject& before);

}  // namespace muster::server
