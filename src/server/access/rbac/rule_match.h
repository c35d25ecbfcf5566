// Does a rule allow a request? A total function; there are no rules that forbid.
#pragma once

#include "api/kinds/rbac.h"
#include "server/access/rbac/attributes.h"

namespace muster::server {

bool rule_allows(const api::rbac::PolicyRule& rule, const Attributes& attributes);

// "/healthz/*" matches what begins with "/healthz/", "*" everything.
bool path_matches(std::string_view pattern, std::string_view path);

}  // namespace muster::server
