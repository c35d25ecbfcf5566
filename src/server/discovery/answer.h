// The HTTP answers of discovery: /version, /api, /apis and below, /openapi/v3. All of them follow from the registry of
// kinds; those that take long to make are made once and kept with it.
#pragma once

#include <string>

#include "base/result.h"
#include "os/http/http.h"
#include "server/negotiation/target.h"
#include "server/registry/kind_registry.h"

namespace muster::server {

// Whether the path is discovery's to answer, found or not. /api/v1/pods and the like are not.
bool is_discovery(const Target& target);

// The answer to a GET or HEAD of such a path. `server_address` is "host:port". Fails with kNotFound, kNotAcceptable or
// kMethodNotAllowed. Any thread.
Result<os::HttpResponse> answer_discovery(const os::HttpRequest& request, const Target& target,
                                          const std::string& server_address, const KindRegistry& kinds);

}  // namespace muster::server
