#include "server/access/impersonation_check.h"

namespace muster::server {

Attributes attributes_of(const ImpersonationDemand& demand) {
    return {.verb = "impersonate",
            .group = demand.group,
            .version = demand.version,
            .resource = demand.resource,
            .subresource = demand.subresource,
            .namespace_ = demand.namespace_,
            .name = demand.name};
}

RefusedDemand find_refused(const RoleView& roles, const User& requester, const Impersonation& impersonation) {
    for (const ImpersonationDemand& demand : impersonation.demands) {
        Decision decision = authorize(roles, requester, attributes_of(demand));
        if (!decision.allowed) return {&demand, std::move(decision.reason)};
    }
    return {};
}

Result<> check_impersonation(const RoleView& roles, const User& requester, const Impersonation& impersonation) {
    const RefusedDemand refused = find_refused(roles, requester, impersonation);
    if (!refused.demand) return {};
    return forbidden_error(requester.name, attributes_of(*refused.demand), refused.reason);
}

}  // namespace muster::server
