// A change of an object: as it was read, and as it is to be. A client in the server's process stores the new state; a
// client of a cluster sends the patch between the two, so that fields which others own stay as they are.
#pragma once

#include <string>

#include "api/schema/kind_info.h"
#include "base/result.h"

namespace muster::client {

// Which part of an object a change is about; the others stay as they are.
enum class Part { kMain, kStatus, kFinalize };

enum class PatchForm {
    kStrategicMerge,  // of built-in kinds: lists merge by their keys
    kMerge,           // of custom resources, whose servers know no other: lists are whole
};
PatchForm patch_form_of(const api::KindInfo& kind);
const char* content_type_of(PatchForm form);

// The body of the smallest patch that makes `after` of `before`, in that part. When `after` has a resource version, the
// patch names it, and is refused when the object has another. Both are objects of the kind.
Result<std::string> format_change(const api::KindInfo& kind, const void* before, const void* after, Part part,
                                  PatchForm form);

// What the patch makes of `present`, a third state of the object: goes to `result`, a value-initialised object of the
// kind.
Result<void> apply_change(const api::KindInfo& kind, const void* before, const void* after, const void* present,
                          void* result);

}  // namespace muster::client
