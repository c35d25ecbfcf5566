// Prepares the metadata of every kind for a write, before the kind's own prepare function. Names, UIDs and times are
// set elsewhere, by code that has a clock and a source of randomness.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api {

// A new object is not being deleted, whatever the client says, and has no version yet.
void prepare_metadata_create(meta::ObjectMeta& metadata);

// Generation, creation and deletion are not the client's to change; a uid and a version that it left out are those of
// the object. Those it sent are left to be checked.
void prepare_metadata_update(meta::ObjectMeta& now, const meta::ObjectMeta& before);

}  // namespace muster::api
