// What a node reports of a pod and its containers. Written by the node and, for conditions, by the scheduler and
// controllers; read by everyone who counts how pods end.
#pragma once

#include "api/kinds/core/container.h"
#include "api/kinds/core/package.h"
#include "api/kinds/core/volume_health.h"
#include "api/schema/declare.h"
#include "api/value/quantity.h"
#include "api/value/time.h"

namespace muster::api::core {

struct ContainerStateWaiting {
    TYPE(ContainerStateWaiting, "The container does not run yet.")
    FIELD(1, Text, reason, "Why, in one word.")
    FIELD(2, Text, message, "Why, in a sentence.")
};

struct ContainerStateRunning {
    TYPE(ContainerStateRunning, "The container runs.")
    FIELD(1, Time, started_at, "When it was last started.")
};

struct ContainerStateTerminated {
    TYPE(ContainerStateTerminated, "The container has ended.")
    FIELD(1, std::int32_t, exit_code, "Exit code of the process.", .required = true)
    FIELD(2, std::int32_t, signal, "Signal that ended the process, when one did.")
    FIELD(3, Text, reason, "Why it ended, in one word.")
    FIELD(4, Text, message, "What the container left as its last message, or why it ended.")
    FIELD(5, Time, started_at, "When this run started.")
    FIELD(6, Time, finished_at, "When this run ended.")
    FIELD(7, Text, container_id, "Id of the ended container, written <runtime>://<id>.", .json = "containerID")
};

struct ContainerState {
    TYPE(ContainerState, "What a container is doing. At most one member is set; none means waiting.")
    FIELD(1, Box<ContainerStateWaiting>, waiting, "Set while it waits to run.")
    FIELD(2, Box<ContainerStateRunning>, running, "Set while it runs.")
    FIELD(3, Box<ContainerStateTerminated>, terminated, "Set once it has ended.")
};

struct LinuxContainerUser {
    TYPE(LinuxContainerUser,
         "The user that a container's first process started as on Linux. It may have changed since.")
    FIELD(1, std::int64_t, uid, "User id.", .required = true)
    FIELD(2, std::int64_t, gid, "Primary group id.", .required = true)
    FIELD(3, List<std::int64_t>, supplemental_groups, "Ids of its other groups.")
};

struct ContainerUser {
    TYPE(ContainerUser, "The user that a container's first process started as.")
    FIELD(1, Box<LinuxContainerUser>, linux_, "The user on Linux.", .json = "linux")
};

struct ResourceHealth {
    TYPE(ResourceHealth, "How one device or other resource is doing.")
    FIELD(1, Text, resource_id, "Id of the resource, unique on the node.", .json = "resourceID", .required = true)
    FIELD(2, Text, health, "Healthy, Unhealthy, which may pass, or Unknown.", .one_of = "Healthy|Unhealthy|Unknown")
    FIELD(6, std::optional<Text>, message, "Why, as a sentence for people.")
};

struct ResourceStatus {
    TYPE(ResourceStatus, "How the units of one resource given to a container are doing.")
    FIELD(1, Text, name, "The resource: one from the pod's spec, or claim:<claim>/<request> for a claimed device.",
          .required = true)
    FIELD(2, List<ResourceHealth>, resources, "Health of each unit.", .list = ListKind::kMap, .list_keys = "resourceID")
};

struct ImageVolumeStatus {
    TYPE(ImageVolumeStatus, "The image that a volume shows.")
    FIELD(1, Text, image_ref, "Digest of the image.", .required = true)
};

struct VolumeStatus {
    TYPE(VolumeStatus, "What is known of a mounted volume, by its type.")
    FIELD(1, Box<ImageVolumeStatus>, image, "Of an image volume.")
};

struct VolumeMountStatus {
    TYPE(VolumeMountStatus, "How a volume came to be mounted.")
    FIELD(1, Text, name, "The volume.", .required = true)
    FIELD(2, Text, mount_path, "Where it is mounted in the container.", .required = true)
    FIELD(3, bool, read_only, "Whether the mount is read-only.")
    FIELD(4, std::optional<Text>, recursive_read_only,
          "Whether mounts below it are read-only too. What was IfPossible is Enabled or Disabled here.",
          .one_of = "Disabled|Enabled")
    GATED(5, Box<VolumeStatus>, volume_status, "What is known of the volume, by its type.")
};

struct ContainerStatus {
    TYPE(ContainerStatus, "How one container of a pod is doing.")
    FIELD(1, Text, name, "The container.", .required = true)
    FIELD(2, ContainerState, state, "What it is doing now.")
    FIELD(3, ContainerState, last_state, "How its previous run ended. Empty until it has been restarted.")
    FIELD(6, Text, image, "The image it runs, as the runtime names it.", .required = true)
    FIELD(7, Text, image_id, "Id of that image.", .json = "imageID", .required = true)
    FIELD(8, Text, container_id, "Id of the container, written <runtime>://<id>.", .json = "containerID")
    FIELD(10, Map<Quantity>, allocated_resources, "Resources that the node has set aside for it.")
    FIELD(11, Box<ResourceRequirements>, resources, "Requests and limits that are in force for the running container.")
    FIELD(12, List<VolumeMountStatus>, volume_mounts, "How its volumes are mounted.", .patch = Patch::kMerge,
          .merge_key = "mountPath", .list = ListKind::kMap)
    FIELD(13, Box<ContainerUser>, user, "The user its first process started as.")
    FIELD(14, List<ResourceStatus>, allocated_resources_status, "Health of the devices it was given.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(15, std::optional<Text>, stop_signal, "The signal that asks it to stop.", .one_of = kStopSignals)
    // The small ones stand together, so that no padding is between them.
    FIELD(5, std::int32_t, restart_count, "How often it has been restarted.", .required = true)
    FIELD(4, bool, ready, "Whether it passes its readiness probe. Without a probe, whether it has started.",
          .required = true)
    FIELD(9, std::optional<bool>, started,
          "Whether it has passed its postStart hook and its startup probe. Not set means false.")
};

struct PodCondition {
    TYPE(PodCondition, "One thing that is or is not so about a pod.")
    FIELD(1, Text, type, "What it is about, such as PodScheduled, Ready or DisruptionTarget.", .required = true)
    FIELD(2, Text, status, "Whether it is so.", .required = true, .one_of = "True|False|Unknown")
    FIELD(3, Time, last_probe_time, "When it was last checked.")
    FIELD(4, Time, last_transition_time, "When the status last changed.")
    FIELD(5, Text, reason, "Why it last changed, in one CamelCase word.")
    FIELD(6, Text, message, "Why it last changed, in a sentence.")
    FIELD(7, std::int64_t, observed_generation, "The pod's generation that the condition is about.")
};

struct PodIP {
    TYPE(PodIP, "An address of the pod.")
    FIELD(1, Text, ip, "The address.", .required = true)
};

struct HostIP {
    TYPE(HostIP, "An address of the node that runs the pod.")
    FIELD(1, Text, ip, "The address.", .required = true)
};

struct PodResourceClaimStatus {
    TYPE(PodResourceClaimStatus, "The claim that was made for an entry of the pod's resourceClaims.")
    FIELD(1, Text, name, "The entry, by its name in the pod.", .required = true)
    FIELD(2, std::optional<Text>, resource_claim_name, "Name of the ResourceClaim. Not set when none was needed.")
};

struct ContainerExtendedResourceRequest {
    TYPE(ContainerExtendedResourceRequest, "The device request that stands for an extended resource of a container.")
    FIELD(1, Text, container_name, "The container.", .required = true)
    FIELD(2, Text, resource_name, "The extended resource it asked for.", .required = true)
    FIELD(3, Text, request_name, "The request in the claim that stands for it.", .required = true)
};

struct PodExtendedResourceClaimStatus {
    TYPE(PodExtendedResourceClaimStatus,
         "The claim that the scheduler made for extended resources which are served as devices.")
    FIELD(1, List<ContainerExtendedResourceRequest>, request_mappings,
          "Which request of the claim stands for which resource of which container.", .required = true)
    FIELD(2, Text, resource_claim_name, "Name of the claim, in the pod's namespace.", .required = true)
};

struct NodeAllocatableMappedResources {
    TYPE(NodeAllocatableMappedResources, "How much of a node's resource a claim takes.")
    FIELD(1, Text, name, "The resource, such as cpu.", .required = true)
    FIELD(2, Quantity, quantity, "How much the claim takes; all containers that refer to it share it.",
          .required = true)
};

struct NodeAllocatableOverheadResources {
    TYPE(NodeAllocatableOverheadResources, "What a claim takes beside what containers use.")
    FIELD(1, Text, name, "The resource, such as cpu.", .required = true)
    FIELD(2, std::optional<Quantity>, per_pod, "How much for the pod.")
    FIELD(3, std::optional<Quantity>, per_container, "How much for each container that refers to the claim.")
};

struct NodeAllocatableResourceClaimStatus {
    TYPE(NodeAllocatableResourceClaimStatus, "What a claim takes of the resources that a node offers to pods.")
    FIELD(1, Text, resource_claim_name, "Name of the claim.", .required = true)
    FIELD(2, List<Text>, containers, "Containers that refer to the claim.", .list = ListKind::kSet)
    FIELD(4, List<NodeAllocatableMappedResources>, mapping, "What it takes, by resource.", .list = ListKind::kMap,
          .list_keys = "name")
    FIELD(5, List<NodeAllocatableOverheadResources>, overhead, "What it takes besides, by resource.",
          .list = ListKind::kMap, .list_keys = "name")
};

struct PodVolumeHealth {
    TYPE(PodVolumeHealth, "How one volume of a pod is, as its node sees it.")
    FIELD(1, Text, name, "The volume.", .required = true)
    FIELD(2, List<VolumeHealthCondition>, health_conditions, "What is wrong with it.", .list = ListKind::kMap,
          .list_keys = "status,reason")
    FIELD(3, std::optional<Time>, last_transition_time, "When that last changed.")
};

struct PodStatus {
    TYPE(PodStatus, "How a pod is doing, as its node last reported.")
    FIELD(1, Text, phase,
          "Where the pod is in its life. Succeeded means that every container ended with success and none will "
          "restart, Failed that all have ended and at least one failed.",
          .one_of = "Pending|Running|Succeeded|Failed|Unknown")
    FIELD(2, List<PodCondition>, conditions, "What is or is not so about the pod, one entry per type.",
          .patch = Patch::kMerge, .merge_key = "type", .list = ListKind::kMap)
    FIELD(3, Text, message, "Why the pod is as it is, in a sentence.")
    FIELD(4, Text, reason, "Why the pod is as it is, in one CamelCase word, such as Evicted.")
    FIELD(5, Text, host_ip, "Address of the node. Empty until the pod starts.", .json = "hostIP")
    FIELD(6, Text, pod_ip, "Address of the pod. Empty until it has one.", .json = "podIP")
    FIELD(7, std::optional<Time>, start_time, "When the node took the pod on, before it pulled any image.")
    FIELD(8, List<ContainerStatus>, container_statuses, "One entry per container.")
    FIELD(9, Text, qos_class,
          "How well the pod is protected when its node runs short, derived from its requests and limits.",
          .one_of = "Guaranteed|Burstable|BestEffort")
    FIELD(10, List<ContainerStatus>, init_container_statuses, "One entry per init container.")
    FIELD(11, Text, nominated_node_name,
          "The node where other pods are being pushed out for this one. It may still be placed elsewhere.")
    FIELD(12, List<PodIP>, pod_ips,
          "All addresses of the pod, at most one of IPv4 and one of IPv6. The first equals podIP.", .json = "podIPs",
          .patch = Patch::kMerge, .merge_key = "ip", .list = ListKind::kMap)
    FIELD(13, List<ContainerStatus>, ephemeral_container_statuses, "One entry per ephemeral container that has run.")
    FIELD(14, Text, resize,
          "State of a change of resources. Replaced by the conditions PodResizePending and PodResizeInProgress.")
    FIELD(15, List<PodResourceClaimStatus>, resource_claim_statuses, "The claims that were made for the pod.",
          .patch = Patch::kMergeRetainKeys, .merge_key = "name", .list = ListKind::kMap)
    FIELD(16, List<HostIP>, host_ips, "All addresses of the node. The first equals hostIP.", .json = "hostIPs",
          .patch = Patch::kMerge, .merge_key = "ip")
    FIELD(17, std::int64_t, observed_generation, "The pod's generation that the status is about.")
    FIELD(18, Box<PodExtendedResourceClaimStatus>, extended_resource_claim_status,
          "The claim that was made for its extended resources.")
    FIELD(19, Map<Quantity>, allocated_resources, "Requests that the node has set aside for the pod as a whole.")
    FIELD(20, Box<ResourceRequirements>, resources, "Requests and limits that are in force for the pod as a whole.")
    GATED(21, List<NodeAllocatableResourceClaimStatus>, node_allocatable_resource_claim_statuses,
          "What the pod's claims take of the resources that the node offers to pods.", .patch = Patch::kMerge,
          .merge_key = "resourceClaimName", .list = ListKind::kMap)
    GATED(22, List<PodVolumeHealth>, volume_health, "How the pod's volumes are.", .list = ListKind::kMap,
          .list_keys = "name")
};

}  // namespace muster::api::core
