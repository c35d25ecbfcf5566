// What every server has from its first start on: the namespaces, the two system priority classes, the default roles,
// and the service under which pods find it.
#pragma once

#include "base/prng.h"
#include "server/objects/objects.h"

namespace muster::server {

// Creates the objects that every cluster starts with, unless they exist; existing objects are not changed. The writes
// are durable when the store reports them so.
Result<> ensure_first_objects(Objects& objects, std::uint64_t seed);
// The account `default` in every namespace, before anybody asks for it; the service-account controller sees to it
// from then on.
Result<> ensure_default_accounts(Objects& objects);
// The service `kubernetes` in default, which tells pods where the server is.
Result<> ensure_api_service(Objects& objects, const std::string& host, int port);

}  // namespace muster::server
