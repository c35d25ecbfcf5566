// What a request is about, read from its method and path alone: a resource and what to do with it, or some other path.
// The words are there for what we do not serve, too: who may ask is decided before what there is.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/negotiation/target.h"
#include "server/registry/kind_registry.h"

namespace muster::server {

inline constexpr const char* kBackupPath = "/muster/backup";

struct Route {
    // "create", "list", "watch", …; of other paths the method in lower case.
    std::string verb{};
    bool is_resource = false;
    std::string group{};
    std::string version{};
    std::string resource{};
    std::string subresource{};
    std::string namespace_{};
    std::string name{};
    std::string selected_name{};  // of a list or watch whose field selector takes one name: rights to that one suffice
    std::string path{};           // of other paths: "/healthz"

    KindRegistry::Ptr kinds{};  // by which the request is served, to its end
    // Null when it is not served.
    const ServedResource* served = nullptr;
    const ServedSubresource* part = nullptr;  // null also for the resource itself
};

Route parse_route(std::string_view method, const Target& target, KindRegistry::Ptr kinds = KindRegistry::declared());

// Fails as Kubernetes does when the resource, the subresource or the method on it is not served.
Result<Verb> check_served(const Route& route);

}  // namespace muster::server
