// Events have two forms, core/v1 and events.k8s.io/v1, and are stored once, in core's. Everything that writes or reads
// them in the newer form goes through here; for all other kinds these functions give back what they get.
#pragma once

#include "server/kind_object.h"

namespace muster::server {

// The kind under which objects of a kind are stored.
const api::KindInfo& stored_kind(const api::KindInfo& kind);
// A stored object as an object of that kind.
KindObjectPtr as_kind(KindObjectPtr stored, const api::KindInfo& kind);
// A draft of any kind as it is stored.
std::shared_ptr<KindObject> as_stored(std::shared_ptr<KindObject> draft);

}  // namespace muster::server
