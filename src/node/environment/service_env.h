// The environment variables by which a container finds the services that were there when it started: those of the API
// server, and with spec.enableServiceLinks those of its own namespace. Pure.
#pragma once

#include <memory>
#include <vector>

#include "api/kinds/core/service.h"
#include "node/environment/env.h"

namespace muster::node {

using ServiceRef = std::shared_ptr<const api::core::Service>;

// The service of the API server.
inline constexpr const char* kApiNamespace = "default";
inline constexpr const char* kApiService = "kubernetes";

// Whether the service has an address of its own, which its variables could tell.
bool has_cluster_ip(const api::core::Service& service);
// Whether the service's name leads to its pods directly.
bool is_headless(const api::core::Service& service);

// The variables for a pod of the namespace, of all the services of the cluster: of each that has an address, in its own
// namespace when there are to be links, and `kubernetes` of default in any case.
Environment service_environment(const std::vector<ServiceRef>& services, const Text& namespace_, bool links);

}  // namespace muster::node
