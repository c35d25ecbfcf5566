// What discovery answers, as typed documents made from the registry of kinds: one for all (aggregated) or one
// per group and version (legacy).
#pragma once

#include <string>
#include <string_view>

#include "api/kinds/api_resources.h"
#include "api/kinds/apidiscovery.h"
#include "server/registry/kind_registry.h"

namespace muster::server {

// Of /api when `core`, else of /apis. v2beta1 has the same shape.
api::apidiscovery::v2::APIGroupDiscoveryList aggregated_discovery(const KindRegistry& kinds, bool core);

// /api: `server_address` is "host:port", where clients reach this server.
api::meta::APIVersions core_versions(std::string_view server_address);
// /apis
api::meta::APIGroupList group_list(const KindRegistry& kinds);
// /apis/<group>
api::meta::APIGroup group_document(const KindRegistry& kinds, std::string_view group);
// /api/v1, /apis/<group>/<version>
api::meta::APIResourceList resource_list(const ServedVersion& version);

}  // namespace muster::server
