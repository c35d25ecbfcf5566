// An object of a kind that is defined at run time (api/registry/defined_kind.h): one C++ type for all such kinds, so
// that all code which handles objects through their tables handles these too.
// The metadata is typed, because every part of the server reads it. The rest is kept as JSON text and not as a tree:
// text takes a fraction of a tree's memory, is stored and sent as it is, and is shared between copies; only patches
// need a tree, and they make one of declared kinds as well. The text is canonical (api/defaults/defined.h), so that two
// objects are equal when their texts are.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api {
namespace defined {

inline constexpr const char* kPackage = "muster.defined";
inline constexpr const char* kGroup = "";
inline constexpr const char* kVersion = "";

struct DefinedObject {
    KIND(DefinedObject, "An object of a kind that is defined at run time.")
    FIELD(1, meta::ObjectMeta, metadata, "Standard metadata.")
    FIELD(2, RawJson, status, "The observed state.")
    FIELD(3, Map<RawJson>, content, "All other members.", .rest = true)
};

}  // namespace defined

using defined::DefinedObject;

}  // namespace muster::api
