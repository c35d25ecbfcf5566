// The HTTP answers of discovery: /version, /api, /apis and below, /openapi/v3. All of them are fixed while the server
// runs, so they are made once and shared.
#pragma once

#include <string>

#include "base/result.h"
#include "os/http/http.h"
#include "server/negotiation/target.h"

namespace muster::server {

// Whether the path is discovery's to answer, found or not. /api/v1/pods and the like are not.
bool is_discovery(const Target& target);

// The answer to a GET or HEAD of such a path. `server_address` is "host:port". Fails with kNotFound, kNotAcceptable or
// kMethodNotAllowed. Any thread.
Result<os::HttpResponse> answer_discovery(const os::HttpRequest& request, const Target& target,
                                          const std::string& server_address);

}  // namespace muster::server
