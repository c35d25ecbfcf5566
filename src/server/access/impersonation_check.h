// Whether a user may impersonate another: the user needs the verb `impersonate` for each demand of
// identity/impersonate.h.
#pragma once

#include "server/access/rbac/rbac.h"
#include "server/identity/impersonate.h"

namespace muster::server {

// What a demand asks for; views into it.
Attributes attributes_of(const ImpersonationDemand& demand);
// The first demand that the requester may not make, with why; null when they may make all.
struct RefusedDemand {
    const ImpersonationDemand* demand = nullptr;
    std::string reason{};
};
RefusedDemand find_refused(const RoleView& roles, const User& requester, const Impersonation& impersonation);
// The same as a result: kForbidden in Kubernetes' words.
Result<> check_impersonation(const RoleView& roles, const User& requester, const Impersonation& impersonation);

}  // namespace muster::server
