// Discovery in one document: every group, version and resource of a server, the answer of /api and /apis to clients
// that ask for g=apidiscovery.k8s.io. Version v2beta1 has the shapes of v2 and differs in its name alone.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api::meta {

struct GroupVersionKind {
    TYPE(GroupVersionKind, "Names a kind in full.")
    FIELD(1, Text, group, "Group, empty for core.", .required = true)
    FIELD(2, Text, version, "Version, such as v1.", .required = true)
    FIELD(3, Text, kind, "Kind, such as Pod.", .required = true)
};

}  // namespace muster::api::meta

namespace muster::api::apidiscovery::v2 {

inline constexpr const char* kPackage = "io.k8s.api.apidiscovery.v2";
inline constexpr const char* kGroup = "apidiscovery.k8s.io";
inline constexpr const char* kVersion = "v2";

struct APISubresourceDiscovery {
    TYPE(APISubresourceDiscovery, "One subresource, such as a pod's log or a job's status.")
    FIELD(1, Text, subresource, "Name, as in the path after the object's name.", .required = true)
    FIELD(2, Box<meta::GroupVersionKind>, response_kind, "Kind of what it answers, absent when it is not an object.")
    FIELD(3, List<meta::GroupVersionKind>, accepted_types, "Kinds it accepts as a body. There may be more.",
          .list = ListKind::kMap, .list_keys = "group,version,kind")
    FIELD(4, List<Text>, verbs, "What can be done with it, such as get, update and patch.", .required = true,
          .list = ListKind::kSet)
};

struct APIResourceDiscovery {
    TYPE(APIResourceDiscovery, "One resource of a version.")
    FIELD(1, Text, resource, "Plural name, as in the path.", .required = true)
    FIELD(2, Box<meta::GroupVersionKind>, response_kind, "Kind of its objects.")
    FIELD(3, Text, scope, "Cluster or Namespaced.", .required = true, .one_of = "Cluster|Namespaced")
    FIELD(4, Text, singular_resource, "Singular name, for messages and the command line.", .required = true)
    FIELD(5, List<Text>, verbs, "What can be done with it: get, list, watch, create, update, patch, delete and so on.",
          .required = true, .list = ListKind::kSet)
    FIELD(6, List<Text>, short_names, "Short names for the command line.", .list = ListKind::kSet)
    FIELD(7, List<Text>, categories, "Groups of resources it belongs to, such as all.", .list = ListKind::kSet)
    FIELD(8, List<APISubresourceDiscovery>, subresources, "Its subresources.", .list = ListKind::kMap,
          .list_keys = "subresource")
};

struct APIVersionDiscovery {
    TYPE(APIVersionDiscovery, "One version of a group and its resources.")
    FIELD(1, Text, version, "Name of the version, such as v1.", .required = true)
    FIELD(2, List<APIResourceDiscovery>, resources, "The resources of this version.", .list = ListKind::kMap,
          .list_keys = "resource")
    FIELD(3, Text, freshness, "Current, or Stale when the server of this version could not be asked.",
          .one_of = "Current|Stale")
};

struct APIGroupDiscovery {
    KIND(APIGroupDiscovery, "One group, its versions and their resources.")
    FIELD(1, meta::ObjectMeta, metadata, "Only the name is set: the group's name, empty for core.")
    FIELD(2, List<APIVersionDiscovery>, versions, "The versions served, the preferred one first.",
          .list = ListKind::kMap, .list_keys = "version")
};

struct APIGroupDiscoveryList {
    KIND(APIGroupDiscoveryList, "All groups of a server, the most important first.")
    FIELD(1, meta::ListMeta, metadata, "The list's metadata. It has no resourceVersion.")
    FIELD(2, List<APIGroupDiscovery>, items, "The groups.", .required = true)
};

}  // namespace muster::api::apidiscovery::v2

namespace muster::api::apidiscovery::v2beta1 {

inline constexpr const char* kVersion = "v2beta1";

struct APIGroupDiscovery : v2::APIGroupDiscovery {
    static constexpr const char* kKindVersion = kVersion;
};

struct APIGroupDiscoveryList : v2::APIGroupDiscoveryList {
    static constexpr const char* kKindVersion = kVersion;
};

}  // namespace muster::api::apidiscovery::v2beta1
