// Discovery document by document: which groups, versions and resources a server has. Answers under /api and /apis to
// clients that do not ask for the aggregated form (see apidiscovery.h).
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/schema/wrapped_list.h"

namespace muster::api::meta {

struct ServerAddressByClientCIDR {
    TYPE(ServerAddressByClientCIDR, "The address of the server for clients of one network.")
    FIELD(1, Text, client_cidr, "Network of the clients, as a CIDR.", .json = "clientCIDR", .required = true)
    FIELD(2, Text, server_address, "Host, IP or host:port under which those clients reach the server.",
          .required = true)
};

struct GroupVersionForDiscovery {
    TYPE(GroupVersionForDiscovery, "One version of a group.")
    FIELD(1, Text, group_version, "Group and version, such as batch/v1.", .required = true)
    FIELD(2, Text, version, "The version alone, such as v1.", .required = true)
};

struct APIVersions {
    KIND(APIVersions, "The versions of the group without a name, the answer of /api.", .group = "")
    FIELD(1, List<Text>, versions, "The versions, such as v1.", .required = true)
    FIELD(2, List<ServerAddressByClientCIDR>, server_address_by_client_cidrs,
          "Where to reach the server, by the client's network.", .json = "serverAddressByClientCIDRs", .required = true)
};

struct APIGroup {
    KIND(APIGroup, "A group's name, versions and preferred version, the answer of /apis/<group>.", .group = "")
    FIELD(1, Text, name, "Name of the group.", .required = true)
    FIELD(2, List<GroupVersionForDiscovery>, versions, "The versions served.", .required = true)
    FIELD(3, GroupVersionForDiscovery, preferred_version, "The version to use when there is a choice.")
    FIELD(4, List<ServerAddressByClientCIDR>, server_address_by_client_cidrs,
          "Where to reach the server, by the client's network.", .json = "serverAddressByClientCIDRs")
};

struct APIGroupList {
    KIND(APIGroupList, "All groups that have a name, the answer of /apis.", .group = "")
    FIELD(1, List<APIGroup>, groups, "The groups.", .required = true)
};

struct Verbs {
    TYPE(Verbs, "What can be done with a resource: in protobuf a message, in JSON the list itself.")
    FIELD(1, List<Text>, items, "The verbs.")
};

struct APIResource {
    TYPE(APIResource, "One resource or subresource of a version.")
    FIELD(1, Text, name, "Plural name, as in the path; a subresource is resource/subresource.", .required = true)
    FIELD(2, bool, namespaced, "Whether its objects live in namespaces.", .required = true)
    FIELD(3, Text, kind, "Kind of its objects.", .required = true)
    FIELD(4, WrappedList<Verbs>, verbs,
          "What can be done with it: get, list, watch, create, update, patch, delete and so on.", .required = true)
    FIELD(5, List<Text>, short_names, "Short names for the command line.")
    FIELD(6, Text, singular_name, "Singular name, for messages and the command line.", .required = true)
    FIELD(7, List<Text>, categories, "Groups of resources it belongs to, such as all.")
    FIELD(8, Text, group, "Group of its kind when it is not the list's group.")
    FIELD(9, Text, version, "Version of its kind when it is not the list's version.")
    FIELD(10, Text, storage_version_hash, "Changes when the version that objects are stored in changes. Opaque.")
};

struct APIResourceList {
    KIND(APIResourceList, "The resources of one version of one group, the answer of /apis/<group>/<version>.",
         .group = "")
    FIELD(1, Text, group_version, "Group and version, such as batch/v1.", .required = true)
    FIELD(2, List<APIResource>, resources, "The resources and subresources.", .required = true)
};

}  // namespace muster::api::meta
