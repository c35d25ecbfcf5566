// ConfigMaps as requests about something, and users who may make such requests.
#pragma once

#include <string>

#include "api/kinds/rbac.h"
#include "server/testing/api_objects.h"

namespace muster::server {

inline constexpr const char* kMaps = "/api/v1/namespaces/ns/configmaps";
inline constexpr const char* kMayListMaps = "{verbs: [list, watch], apiGroups: [''], resources: [configmaps]}";

inline std::string map_json(const std::string& name) { return R"({"metadata":{"name":")" + name + "\"}}"; }

inline void allow(ApiObjects& api, const std::string& user, const std::string& rule) {
    api.create<api::rbac::Role>("{metadata: {name: " + user + "}, rules: [" + rule + "]}");
    api.create<api::rbac::RoleBinding>(
        "{metadata: {name: " + user + "}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: " + user +
        "}, subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: " + user + "}]}");
    api.settle();
}

}  // namespace muster::server
