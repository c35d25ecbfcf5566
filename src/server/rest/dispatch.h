// From a call to the handler of its verb and resource. Everything but watches and a pod's streams, which have no
// single answer.
#pragma once

#include "client/pods/pod_access.h"
#include "server/access/rbac/role_index.h"
#include "server/identity/authenticate.h"
#include "server/identity/token_request.h"
#include "server/objects/objects.h"
#include "server/rest/call.h"

namespace muster::server {

// What handlers need besides the objects. The references must outlive this struct.
struct Services {
    Objects& objects;
    const RoleView& roles;
    const BoundObjects& bound_objects;
    std::shared_ptr<const Authenticator> authenticator;
    const TokenSigner& signer;
    TokenIssuerOptions tokens{};
    std::function<client::PodAccess*()> node{};  // what runs pods; null when there is none
};

Result<Answer> dispatch(const Services& services, Call& call);

}  // namespace muster::server
