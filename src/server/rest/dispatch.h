// From a call to the handler of its verb and resource. Everything but watches, which have no single answer.
#pragma once

#include "server/access/role_index.h"
#include "server/identity/authenticate.h"
#include "server/identity/token_request.h"
#include "server/objects/objects.h"
#include "server/rest/call.h"
#include "server/rest/pod_log.h"

namespace muster::server {

// What handlers need beside the objects. All must outlive whoever holds this.
struct Services {
    Objects& objects;
    const RoleView& roles;
    const BoundObjects& bound_objects;
    std::shared_ptr<const Authenticator> authenticator;
    const TokenSigner& signer;
    TokenIssuerOptions tokens{};
    OpenLog open_log{};
};

Result<Answer> dispatch(const Services& services, Call& call);

}  // namespace muster::server
