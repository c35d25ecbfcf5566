// OpenAPI v3 schemas from the declarations: what `kubectl explain` prints and what clients validate against.
#pragma once

#include <span>
#include <string>

#include "api/schema/kind_info.h"

namespace muster::api {

// Appends a JSON object, schema name to schema, with every type that the kinds and their lists reach, sorted by name.
void append_schemas(std::span<const KindInfo* const> kinds, std::string& out);

// io.k8s.api.batch.v1.Job
std::string schema_name(const TypeInfo& type);

}  // namespace muster::api
