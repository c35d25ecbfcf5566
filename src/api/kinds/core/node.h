// Node: a machine that runs pods, what it has to offer and how it is.
#pragma once

#include "api/kinds/core/affinity.h"
#include "api/kinds/core/package.h"
#include "api/kinds/meta/meta.h"
#include "api/value/quantity.h"

namespace muster::api::core {

struct ConfigMapNodeConfigSource {
    TYPE(ConfigMapNodeConfigSource, "A ConfigMap that once configured the node agent. No longer in use.")
    FIELD(1, Text, namespace_, "Namespace of the ConfigMap.", .json = "namespace", .required = true)
    FIELD(2, Text, name, "Name of the ConfigMap.", .required = true)
    FIELD(3, Text, uid, "UID of the ConfigMap. Only in a status.")
    FIELD(4, Text, resource_version, "Version of the ConfigMap. Only in a status.")
    FIELD(5, Text, kubelet_config_key, "Key of the ConfigMap that holds the configuration.", .required = true)
};

struct NodeConfigSource {
    TYPE(NodeConfigSource, "Where the node agent's configuration once came from. No longer in use.")
    FIELD(2, Box<ConfigMapNodeConfigSource>, config_map, "A ConfigMap.")
};

struct NodePodPreemptionPolicy {
    TYPE(NodePodPreemptionPolicy, "Which preemption of pods a node does not allow.")
    FIELD(1, List<Text>, disable_resize_preemption, "Resources for whose growth no pod is preempted.",
          .list = ListKind::kSet)
};

struct NodeSpec {
    TYPE(NodeSpec, "What a node is set up with.")
    FIELD(1, Text, pod_cidr, "Address range of the node's pods, as a CIDR.", .json = "podCIDR")
    FIELD(2, Text, external_id, "No longer used.", .json = "externalID")
    FIELD(3, Text, provider_id, "Identity given by the cloud, as provider://identity.", .json = "providerID")
    FIELD(4, bool, unschedulable, "True places no new pods here.")
    FIELD(5, List<Taint>, taints, "Keep away the pods that do not tolerate them.")
    FIELD(6, Box<NodeConfigSource>, config_source, "No longer used.")
    FIELD(7, List<Text>, pod_cidrs,
          "Address ranges of the node's pods, at most one of IPv4 and one of IPv6. The first is podCIDR.",
          .json = "podCIDRs", .patch = Patch::kMerge, .list = ListKind::kSet)
    GATED(8, Box<NodePodPreemptionPolicy>, pod_preemption_policy, "Which preemption of pods the node does not allow.")
};

struct DaemonEndpoint {
    TYPE(DaemonEndpoint, "A port that a daemon listens on.")
    FIELD(1, std::int32_t, port, "The port's number.", .json = "Port", .required = true)
};

struct NodeDaemonEndpoints {
    TYPE(NodeDaemonEndpoints, "Ports of the daemons on a node.")
    FIELD(1, DaemonEndpoint, kubelet_endpoint, "The node agent's port.")
};

struct NodeRuntimeHandlerFeatures {
    TYPE(NodeRuntimeHandlerFeatures, "What a runtime handler can do.")
    FIELD(1, std::optional<bool>, recursive_read_only_mounts, "Whether it can mount a whole tree read-only.")
    FIELD(2, std::optional<bool>, user_namespaces, "Whether it can give a pod a user namespace, volumes included.")
};

struct NodeRuntimeHandler {
    TYPE(NodeRuntimeHandler, "One way in which the node can run containers.")
    FIELD(1, Text, name, "Name of the handler, empty for the default one.", .required = true, .optional = true)
    FIELD(2, Box<NodeRuntimeHandlerFeatures>, features, "What it can do.")
};

struct NodeFeatures {
    TYPE(NodeFeatures, "What the node's container runtime can do, whichever handler is used.")
    FIELD(1, std::optional<bool>, supplemental_groups_policy,
          "Whether it honours supplementalGroupsPolicy and reports a container's user.")
};

struct NodeSwapStatus {
    TYPE(NodeSwapStatus, "A node's swap memory.")
    FIELD(1, std::optional<std::int64_t>, capacity, "Total size in bytes.")
};

struct NodeSystemInfo {
    TYPE(NodeSystemInfo, "What a node says of its machine and its software.")
    FIELD(1, Text, machine_id, "The machine's identity, from /etc/machine-id.", .json = "machineID", .required = true)
    FIELD(2, Text, system_uuid, "The hardware's UUID. machineID is the better identity.", .json = "systemUUID",
          .required = true)
    FIELD(3, Text, boot_id, "Identity of this boot.", .json = "bootID", .required = true)
    FIELD(4, Text, kernel_version, "Kernel release, as in uname -r.", .required = true)
    FIELD(5, Text, os_image, "Name of the system, from /etc/os-release.", .required = true)
    FIELD(6, Text, container_runtime_version, "The container runtime and its version, as name://version.",
          .required = true)
    FIELD(7, Text, kubelet_version, "Version of the node agent.", .required = true)
    FIELD(8, Text, kube_proxy_version, "No longer used.", .required = true)
    FIELD(9, Text, operating_system, "The operating system, such as linux.", .required = true)
    FIELD(10, Text, architecture, "The processor's architecture, such as amd64.", .required = true)
    FIELD(11, Box<NodeSwapStatus>, swap, "Swap memory.")
    FIELD(12, std::optional<bool>, running_in_user_namespace, "Whether the node agent runs in a user namespace.")
};

struct NodeConfigStatus {
    TYPE(NodeConfigStatus, "State of the configuration from configSource. No longer in use.")
    FIELD(1, Box<NodeConfigSource>, assigned, "The configuration the node is to use.")
    FIELD(2, Box<NodeConfigSource>, active, "The configuration the node uses.")
    FIELD(3, Box<NodeConfigSource>, last_known_good, "The configuration the node falls back to.")
    FIELD(4, Text, error, "What went wrong, as a sentence for people.")
};

struct AttachedVolume {
    TYPE(AttachedVolume, "A volume that is attached to a node.")
    FIELD(1, Text, name, "Name of the volume.", .required = true)
    FIELD(2, Text, device_path, "Path of the device where the volume is.", .required = true)
};

struct ContainerImage {
    TYPE(ContainerImage, "A container image on a node.")
    FIELD(1, List<Text>, names, "Names the image is known by.", .required = true, .optional = true)
    FIELD(2, std::int64_t, size_bytes, "Size in bytes.")
};

struct NodeCondition {
    TYPE(NodeCondition, "One aspect of a node's state.")
    FIELD(1, Text, type,
          "Which aspect: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable or a provider's own.",
          .required = true)
    FIELD(2, Text, status, "Whether it holds: True, False or Unknown.", .required = true,
          .one_of = "True|False|Unknown")
    FIELD(3, Time, last_heartbeat_time, "When the node last reported it.")
    FIELD(4, Time, last_transition_time, "When status last changed.")
    FIELD(5, Text, reason, "Why, as one CamelCase word for programs.")
    FIELD(6, Text, message, "Why, as a sentence for people.")
};

struct NodeAddress {
    TYPE(NodeAddress, "An address under which a node can be reached.")
    FIELD(1, Text, type, "What kind of address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.",
          .required = true)
    FIELD(2, Text, address, "The address.", .required = true)
};

struct NodeStatus {
    TYPE(NodeStatus, "What a node has to offer and how it is.")
    FIELD(1, Map<Quantity>, capacity, "All resources the node has.")
    FIELD(2, Map<Quantity>, allocatable, "Resources that pods may use. The same as capacity by default.")
    FIELD(3, Text, phase, "No longer filled.", .one_of = "Pending|Running|Terminated")
    FIELD(4, List<NodeCondition>, conditions, "The node's state.", .patch = Patch::kMerge, .merge_key = "type",
          .list = ListKind::kMap, .list_keys = "type")
    FIELD(5, List<NodeAddress>, addresses,
          "Addresses of the node. A merge patch joins them by type, which may not be unique; replace the list instead.",
          .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap, .list_keys = "type")
    FIELD(6, NodeDaemonEndpoints, daemon_endpoints, "Ports of the node's daemons.")
    FIELD(7, NodeSystemInfo, node_info, "The node's machine and software.")
    FIELD(8, List<ContainerImage>, images, "Container images on the node.")
    FIELD(9, List<Text>, volumes_in_use, "Attachable volumes that are mounted.")
    FIELD(10, List<AttachedVolume>, volumes_attached, "Volumes that are attached.")
    FIELD(11, Box<NodeConfigStatus>, config, "No longer filled.")
    FIELD(12, List<NodeRuntimeHandler>, runtime_handlers, "Ways in which the node can run containers.")
    FIELD(13, Box<NodeFeatures>, features, "What the container runtime can do.")
    FIELD(14, List<Text>, declared_features, "Features that the node says it has, by name.")
};

struct Node {
    KIND(Node, "A machine that runs pods.", .plural = "nodes", .namespaced = false, .short_names = "no")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, NodeSpec, spec, "How the node is set up.")
    FIELD(3, NodeStatus, status, "What the node has to offer and how it is. Written by the node.")
};

}  // namespace muster::api::core
