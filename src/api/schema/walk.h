// Questions asked of a value through its tables: is it the zero value, are two equal, where do they differ. The unknown
// fields of a struct (residue.h) count.
#pragma once

#include <string>
#include <vector>

#include "api/schema/type_info.h"

namespace muster::api {

// Holds nothing a client could see: Go's zero value. Null and empty lists are both zero.
bool is_zero(const ValueInfo& info, const void* value);
bool is_zero(const TypeInfo& type, const void* object);

// Mean the same to a client: null and empty lists are equal, a set zero and an unset one are not.
bool is_equal(const ValueInfo& info, const void* left, const void* right);
bool is_equal(const TypeInfo& type, const void* left, const void* right);
bool is_equal(const FieldInfo& field, const void* left_object, const void* right_object);
// Equal as far as the types know: unknown fields do not count.
bool is_equal_known(const ValueInfo& info, const void* left, const void* right);
// Equal, and what is declared `shared` is not only equal but the same block.
bool is_equal_sharing(const TypeInfo& type, const void* left, const void* right);
bool is_equal_sharing(const FieldInfo& field, const void* left_object, const void* right_object);

// One line per difference, for people: "spec.containers[0].image: "a" → "b"". Empty when equal.
std::vector<std::string> list_differences(const TypeInfo& type, const void* left, const void* right);

template <class T>
std::string diff(const T& left, const T& right) {
    std::string text;
    for (const std::string& line : list_differences(T::info(), &left, &right)) text += line + "\n";
    return text;
}

}  // namespace muster::api
