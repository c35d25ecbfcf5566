// The registry of kinds: everything the server, the codecs and the schema writer know, by name. Code that needs the
// C++ types themselves takes them from kind_list.h.
#pragma once

#include <string_view>
#include <vector>

#include "api/schema/kind_info.h"

namespace muster::api {

// Every kind, in the order of kind_list.h; the list never changes.
const std::vector<const KindInfo*>& all_kinds();

// The kind of that name, or null: find_kind("batch", "v1", "Job").
const KindInfo* find_kind(std::string_view group, std::string_view version, std::string_view kind);

// The kind whose objects live under that path, or null: find_resource("batch", "v1", "jobs").
const KindInfo* find_resource(std::string_view group, std::string_view version, std::string_view plural);

}  // namespace muster::api
