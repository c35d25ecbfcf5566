// Which fields of a kind ?fieldSelector= can ask for, and their values. Every kind has metadata.name and, if it has
// namespaces, metadata.namespace; some have more.
#pragma once

#include <string>
#include <string_view>

#include "api/selector/field_selector.h"
#include "server/kind_object/kind_object.h"

namespace muster::server {

// kBadRequest naming the first field that the kind does not offer.
Result<> check_field_labels(const api::KindInfo& kind, const api::FieldSelector& selector);

// The object must be of a kind that offers all fields of the selector.
bool matches_fields(const KindObject& object, const api::FieldSelector& selector);

}  // namespace muster::server
