// Impersonation: reads the Impersonate-* headers of a request into the permissions that they need and the user that the
// request then has. access/impersonation_check.h checks the permissions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/http/http.h"
#include "server/identity/user.h"

namespace muster::server {

// One thing the requester must be allowed to `impersonate`.
struct ImpersonationDemand {
    std::string group{};
    std::string version{};
    std::string resource{};     // users, groups, serviceaccounts, uids, userextras
    std::string subresource{};  // of userextras: the key
    std::string namespace_{};
    std::string name{};
    bool operator==(const ImpersonationDemand&) const = default;
};

struct Impersonation {
    std::vector<ImpersonationDemand> demands{};  // all must be met
    User user{};                                 // who it is then
};

// Nothing when the headers ask for nothing. kBadRequest when they ask for groups, a uid or extras but no user.
Result<std::optional<Impersonation>> read_impersonation(const os::HttpRequest& request);

}  // namespace muster::server
