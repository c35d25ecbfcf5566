// What the server fills in and keeps in order in objects of kinds that are defined at run time. Pure.
#pragma once

#include "api/kinds/defined_object.h"

namespace muster::api {

// The same JSON with members sorted and numbers written in one way. Empty for null. The text must be JSON.
RawJson canonical_json(const RawJson& raw);

// Makes all content canonical; members that are null go.
void default_defined(DefinedObject& object);

// Like all custom resources, these count the changes of everything but metadata and, when it is a subresource, status.
void prepare_defined_create(DefinedObject& object, bool has_status);
void prepare_defined_update(DefinedObject& now, const DefinedObject& before, bool has_status);
// A status update changes nothing else, of the metadata neither.
void prepare_defined_status_update(DefinedObject& now, const DefinedObject& before);

}  // namespace muster::api
