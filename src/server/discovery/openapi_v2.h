// OpenAPI v2 in its protobuf form, for kubectl before 1.29, which validates and explains from nothing else. Made of the
// v3 documents: all definitions, and what clients look for in the paths.
#pragma once

#include "server/discovery/openapi.h"

namespace muster::server {

// Content type of the answer, and what clients accept.
inline constexpr const char* kOpenapiV2Type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
inline constexpr const char* kOpenapiV2Accepted = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

// Made on first use. Any thread.
const OpenapiDocument& openapi_v2();

}  // namespace muster::server
