// Kinds that are another way to write and read objects of a stored kind: the newer form of events, older versions of
// the queueing kinds. They are converted on the way in and out and never stored; for all other kinds these functions
// give back what they get. views.cc has the conversion of each kind in api::ViewKinds.
#pragma once

#include "server/kind_object/kind_object.h"

namespace muster::server {

// The kind under which objects of a kind are stored.
const api::KindInfo& stored_kind(const api::KindInfo& kind);
// A stored object as an object of that kind.
KindObjectPtr as_kind(KindObjectPtr stored, const api::KindInfo& kind);
// A draft of any kind as it is stored.
std::shared_ptr<KindObject> as_stored(std::shared_ptr<KindObject> draft);

}  // namespace muster::server
