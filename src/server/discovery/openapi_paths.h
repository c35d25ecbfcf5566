// The paths of an OpenAPI document: every operation that the table of served resources allows, with its parameters,
// body and answers.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "server/registry/resources.h"

namespace muster::server {

// "/apis/batch/v1/namespaces/{namespace}/jobs" to its operations, sorted.
boost::json::object openapi_paths(const ServedVersion& version);

// The schema that stands for a kind: io.k8s.api.batch.v1.Job. Kinds without a declaration get a name of the same form.
std::string kind_schema_name(const api::KindInfo& kind);

}  // namespace muster::server
