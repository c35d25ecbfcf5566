// OpenAPI v3: one document per group and version, and the index of them. Made on first use and kept, since clients
// fetch them once and then ask by hash.
#pragma once

#include <string>
#include <string_view>

#include "os/http/http.h"
#include "server/registry/kind_registry.h"

namespace muster::server {

using OpenapiDocument = RegistryDocument::Content;

// Of the version, which must be one of the registry's. Any thread.
const OpenapiDocument& openapi_document(const KindRegistry& kinds, const ServedVersion& version);
// Of /openapi/v3: "api/v1" and the like to the path with hash that gives the document.
const OpenapiDocument& openapi_index(const KindRegistry& kinds);

// "/openapi/v3/apis/batch/v1?hash=…"
std::string openapi_url(const KindRegistry& kinds, const ServedVersion& version);
// What changes whenever the bytes do. Not for secrets.
std::string content_hash(std::string_view bytes);

}  // namespace muster::server
