// Fields that may not change once an object exists.
#pragma once

#include "api/validation/field_errors.h"

namespace muster::api {

// Any member as an error shows it: its JSON.
Shown shown_json(const ValueInfo& info, const void* value);
template <class T>
Shown shown_json(const T& value) {
    return shown_json(value_info<T>(), &value);
}

// Adds kImmutableSentence with the new value when the two differ. Null and empty lists are the same.
void check_immutable(const FieldPath& path, const ValueInfo& info, const void* value, const void* old,
                     FieldErrors& errors);
template <class T>
void check_immutable(const FieldPath& path, const T& value, const T& old, FieldErrors& errors) {
    check_immutable(path, value_info<T>(), &value, &old, errors);
}

}  // namespace muster::api
