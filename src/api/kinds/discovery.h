// Where a Service's traffic goes: the addresses and ports of its endpoints, in slices of limited size.
#pragma once

#include "api/kinds/core/reference.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"

namespace muster::api::discovery {

inline constexpr const char* kPackage = "io.k8s.api.discovery.v1";
inline constexpr const char* kGroup = "discovery.k8s.io";
inline constexpr const char* kVersion = "v1";

struct EndpointConditions {
    TYPE(EndpointConditions, "Whether an endpoint takes traffic.")
    FIELD(1, std::optional<bool>, ready,
          "Whether it should get traffic: serving and not terminating, unless the Service says otherwise. Absent "
          "counts as true.")
    FIELD(2, std::optional<bool>, serving,
          "Whether it can answer, which a terminating pod may still do. Absent counts as true.")
    FIELD(3, std::optional<bool>, terminating, "Whether it is about to go. Absent counts as false.")
};

struct ForZone {
    TYPE(ForZone, "A zone whose traffic an endpoint should take.")
    FIELD(1, Text, name, "Name of the zone.", .required = true)
};

struct ForNode {
    TYPE(ForNode, "A node whose traffic an endpoint should take.")
    FIELD(1, Text, name, "Name of the node.", .required = true)
};

struct EndpointHints {
    TYPE(EndpointHints, "Whose traffic an endpoint should take.")
    FIELD(1, List<ForZone>, for_zones, "The zones, at most 8.")
    FIELD(2, List<ForNode>, for_nodes, "The nodes, at most 8.")
};

struct Endpoint {
    TYPE(Endpoint, "One place that traffic can go to, mostly a pod.")
    FIELD(1, List<Text>, addresses,
          "Its addresses, from 1 to 100, of the slice's addressType. Only the first has a meaning.", .required = true,
          .list = ListKind::kSet)
    FIELD(2, EndpointConditions, conditions, "Whether it takes traffic.")
    FIELD(3, std::optional<Text>, hostname,
          "Its host name in DNS, a lower case label. Endpoints of one host name stand for each other.")
    FIELD(4, Box<core::ObjectReference>, target_ref, "The object it stands for.")
    FIELD(5, Map<Text>, deprecated_topology, "Labels of the old API. Never written; see zone and nodeName.")
    FIELD(6, std::optional<Text>, node_name, "The node it is on.")
    FIELD(7, std::optional<Text>, zone, "The zone it is in.")
    FIELD(8, Box<EndpointHints>, hints, "Whose traffic it should take.")
};

struct EndpointPort {
    TYPE(EndpointPort, "A port that all endpoints of a slice have.", .atomic = true)
    FIELD(1, std::optional<Text>, name,
          "Its name, unique in the slice: empty or a DNS label. That of the Service's port. Empty by default.")
    FIELD(2, std::optional<Text>, protocol, "UDP, TCP or SCTP. TCP by default.", .one_of = "TCP|UDP|SCTP")
    FIELD(3, std::optional<std::int32_t>, port, "Its number. Absent only where the slice does not come from a Service.")
    FIELD(4, std::optional<Text>, app_protocol,
          "The protocol spoken over it: an IANA service name, or a name with a prefix such as kubernetes.io/h2c.")
};

struct EndpointSlice {
    KIND(EndpointSlice, "A part of a Service's endpoints. The label kubernetes.io/service-name says which Service's.",
         .plural = "endpointslices", .access = Access::kView)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, List<Endpoint>, endpoints, "The endpoints, at most 1000.", .required = true)
    FIELD(3, List<EndpointPort>, ports, "The ports of every endpoint, at most 100.", .required = true, .optional = true)
    FIELD(4, Text, address_type, "Kind of all the addresses: IPv4, IPv6 or FQDN (deprecated). It cannot change.",
          .required = true, .one_of = "IPv4|IPv6|FQDN")
};

}  // namespace muster::api::discovery
