// What the schemas of the queueing kinds say beyond their declarations: limits, defaults, and rules across fields in
// CEL. One row for each; they mean what api/validation/queueing and api/defaults/queueing.h mean, as far as a schema
// can say it. The rest is the webhook's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/schema/type_info.h"
#include "manifests/tree.h"

namespace muster::manifests {

// A limit or a default of one field.
struct FieldRule {
    const char* type;      // "PodSet"
    const char* field;     // "count"
    const char* keywords;  // members of the schema, as JSON
};
std::span<const FieldRule> field_rules();

// A rule in CEL about a type, or about one field of it.
struct CelRule {
    const char* type;
    const char* field;  // empty: the type
    std::string rule;
    const char* message;
    bool stored_only = false;  // it names fields that the older version does not have
};
const std::vector<CelRule>& cel_rules();

// All that the rows say of a field, or of the type itself when the name is empty, put together.
Object schema_keywords(const api::TypeInfo& type, std::string_view field);

}  // namespace muster::manifests
