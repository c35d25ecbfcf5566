// An error as clients read it: Kubernetes' Status.
#pragma once

#include "api/kinds/meta/status.h"
#include "base/result.h"

namespace muster::server {

int http_code(Code code);
api::meta::Status status_of(const Error& error);

}  // namespace muster::server
