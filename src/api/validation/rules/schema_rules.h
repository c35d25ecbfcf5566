// What a schema alone demands of an object, read from the declarations: required fields are there, a field that has a
// list of values has one of them, the entries of a keyed list or a set differ. This is what a custom resource's
// definition checks, so it is for the kinds that are custom resources elsewhere.
#pragma once

#include "api/schema/type_info.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// Follows only types of packages that begin with `packages`; what lies in others has rules of its own.
void check_schema(const TypeInfo& type, const void* object, std::string_view packages, const FieldPath& path,
                  FieldErrors& errors);

}  // namespace muster::api
