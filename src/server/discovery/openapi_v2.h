// OpenAPI v2, made of the v3 documents. As JSON for tools that generate code or check manifests, and in its protobuf
// form for kubectl before 1.29, which validates and explains from nothing else; of the paths that has what kubectl
// looks for.
#pragma once

#include <boost/json/object.hpp>

#include "server/discovery/openapi.h"

namespace muster::server {

// Content type of the answer, and what clients accept.
inline constexpr const char* kOpenapiV2Type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
inline constexpr const char* kOpenapiV2Accepted = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

// Made on first use. Any thread.
const OpenapiDocument& openapi_v2(const KindRegistry& kinds);
const OpenapiDocument& openapi_v2_json(const KindRegistry& kinds);

// The whole document.
boost::json::object openapi_v2_object(const KindRegistry& kinds);

}  // namespace muster::server
