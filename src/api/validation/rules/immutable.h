// Fields that may not change once an object exists.
#pragma once

#include "api/validation/rules/field_errors.h"

namespace muster::api {

// Adds kImmutableSentence with the new value when the two differ. Null and empty lists are the same.
void check_immutable(const ValueInfo& info, const void* value, const void* old, const FieldPath& path,
                     FieldErrors& errors);
template <class T>
void check_immutable(const T& value, const T& old, const FieldPath& path, FieldErrors& errors) {
    check_immutable(value_info<T>(), &value, &old, path, errors);
}

}  // namespace muster::api
