// Service: one name and address for a changing set of pods.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/meta/meta.h"
#include "api/value/int_or_string.h"

namespace muster::api::core {

struct ClientIPConfig {
    TYPE(ClientIPConfig, "How long a client keeps reaching the same pod.")
    FIELD(1, std::optional<std::int32_t>, timeout_seconds, "Seconds, from 1 to 86400. 10800 by default.")
};

struct SessionAffinityConfig {
    TYPE(SessionAffinityConfig, "Settings of session affinity.")
    FIELD(1, Box<ClientIPConfig>, client_ip, "Settings for affinity by the client's address.", .json = "clientIP")
};

struct ServicePort {
    TYPE(ServicePort, "A port of a service.")
    FIELD(1, Text, name, "Name of the port, a DNS label unique in the service. Needed when there are several ports.")
    FIELD(2, Text, protocol, "TCP, UDP or SCTP. TCP by default.", .one_of = "TCP|UDP|SCTP")
    FIELD(3, std::int32_t, port, "The port clients connect to.", .required = true)
    FIELD(4, IntOrString, target_port, "The pods' port, by number or by name. The same as port by default.")
    FIELD(5, std::int32_t, node_port,
          "The port on every node, for types NodePort and LoadBalancer. Assigned when not given.")
    FIELD(6, std::optional<Text>, app_protocol,
          "What is spoken on the port, as a hint: a registered service name, or a prefixed one such as "
          "kubernetes.io/h2c.")
};

struct ServiceSpec {
    TYPE(ServiceSpec, "Which pods a service leads to, and how it is reached.")
    FIELD(1, List<ServicePort>, ports, "The service's ports.", .patch = Patch::kMerge, .merge_key = "port",
          .list = ListKind::kMap, .list_keys = "port,protocol")
    FIELD(2, Map<Text>, selector,
          "Labels of the pods it leads to. When empty, the endpoints are managed externally. Ignored for type "
          "ExternalName.",
          .atomic = true)
    FIELD(3, Text, cluster_ip,
          "Address of the service within the cluster, assigned when empty. None makes a service without an address of "
          "its own, whose name leads to the pods directly.",
          .json = "clusterIP")
    FIELD(4, Text, type,
          "How it is reached: ClusterIP within the cluster, NodePort also on a port of every node, LoadBalancer also "
          "through an external balancer, ExternalName as an alias of another name. ClusterIP by default.",
          .one_of = "ClusterIP|NodePort|LoadBalancer|ExternalName")
    FIELD(5, List<Text>, external_ips, "Further addresses whose traffic the nodes accept for this service.",
          .json = "externalIPs")
    FIELD(7, Text, session_affinity,
          "ClientIP keeps a client's connections on one pod, None spreads them. None by default.",
          .one_of = "ClientIP|None")
    FIELD(8, Text, load_balancer_ip, "Address wanted of the external balancer. Not every provider honours it.",
          .json = "loadBalancerIP")
    FIELD(9, List<Text>, load_balancer_source_ranges,
          "Networks from which the external balancer accepts clients. All by default.")
    FIELD(10, Text, external_name, "The name that this service is an alias of. Only for type ExternalName.")
    FIELD(
        11, Text, external_traffic_policy,
        "Where traffic from outside may go: Cluster to any pod, Local only to pods on the node it reached, which keeps "
        "the client's address. Cluster by default.",
        .one_of = "Cluster|Local")
    FIELD(12, std::int32_t, health_check_node_port,
          "Port on which nodes say whether they have pods of this service. Only for type LoadBalancer with "
          "externalTrafficPolicy Local; assigned when not given.")
    FIELD(13, bool, publish_not_ready_addresses, "True leads to pods that are not ready too.")
    FIELD(14, Box<SessionAffinityConfig>, session_affinity_config, "Settings of sessionAffinity.")
    FIELD(17, std::optional<Text>, ip_family_policy,
          "SingleStack has one address family, PreferDualStack two where the cluster has them, RequireDualStack two or "
          "fails. SingleStack by default.",
          .one_of = "SingleStack|PreferDualStack|RequireDualStack")
    FIELD(18, List<Text>, cluster_ips,
          "Addresses of the service within the cluster, at most one per address family. The first is clusterIP.",
          .json = "clusterIPs")
    FIELD(19, List<Text>, ip_families, "Address families in use, IPv4 and IPv6, in the order of clusterIPs.")
    FIELD(20, std::optional<bool>, allocate_load_balancer_node_ports,
          "Whether type LoadBalancer also takes a port on every node. True by default.")
    FIELD(21, std::optional<Text>, load_balancer_class,
          "Which balancer serves this service. The provider's default when absent; it can never change.")
    FIELD(22, std::optional<Text>, internal_traffic_policy,
          "Where traffic from within may go: Cluster to any pod, Local only to pods on the client's node. Cluster by "
          "default.",
          .one_of = "Cluster|Local")
    FIELD(23, std::optional<Text>, traffic_distribution,
          "Which pods to prefer, as a hint: PreferSameZone, PreferSameNode, or PreferClose, the older name of the "
          "first.")
};

struct PortStatus {
    TYPE(PortStatus, "What became of one port at the external balancer.")
    FIELD(1, std::int32_t, port, "The service's port.", .required = true)
    FIELD(2, Text, protocol, "TCP, UDP or SCTP.", .required = true, .one_of = "TCP|UDP|SCTP")
    FIELD(3, std::optional<Text>, error, "What went wrong, as one CamelCase word, prefixed when a provider's own.")
};

struct LoadBalancerIngress {
    TYPE(LoadBalancerIngress, "A point where an external balancer takes traffic in.")
    FIELD(1, Text, ip, "Its address, when it has one.")
    FIELD(2, Text, hostname, "Its name, when it has one.")
    FIELD(3, std::optional<Text>, ip_mode,
          "VIP delivers traffic with the balancer's address as its destination, Proxy with the node's or pod's. Only "
          "together with ip.",
          .one_of = "VIP|Proxy")
    FIELD(4, List<PortStatus>, ports, "What became of the service's ports.")
};

struct LoadBalancerStatus {
    TYPE(LoadBalancerStatus, "State of an external balancer.")
    FIELD(1, List<LoadBalancerIngress>, ingress, "Where it takes traffic in.")
};

struct ServiceStatus {
    TYPE(ServiceStatus, "How a service is.")
    FIELD(1, LoadBalancerStatus, load_balancer, "State of the external balancer, when there is one.")
    FIELD(2, List<meta::Condition>, conditions, "The service's state.", .patch = Patch::kMerge, .merge_key = "type",
          .list = ListKind::kMap, .list_keys = "type")
};

struct Service {
    KIND(Service, "One name and address for a set of pods.", .plural = "services", .short_names = "svc",
         .categories = "all", .access = Access::kEdit, .created_by_update = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, ServiceSpec, spec, "Which pods it leads to, and how it is reached.")
    FIELD(3, ServiceStatus, status, "How it is. Written by the server.")
};

}  // namespace muster::api::core
