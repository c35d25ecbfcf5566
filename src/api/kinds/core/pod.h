// The pod: its whole spec, the template that controllers make pods from, its binding to a node, and the parameters of
// its log, exec, attach and port-forward requests. What all pods of one template have alike is marked shared and is
// stored once; the rest of a PodSpec is kept small, as a hundred thousand of them live in memory.
#pragma once

#include "api/kinds/core/affinity.h"
#include "api/kinds/core/container.h"
#include "api/kinds/core/package.h"
#include "api/kinds/core/pod_status.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/core/volume.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "api/value/quantity.h"
#include "api/value/time.h"

namespace muster::api::core {

struct PodReadinessGate {
    TYPE(PodReadinessGate, "A further condition that must be true before the pod is ready.")
    FIELD(1, Text, condition_type, "Type of the condition in the pod's status.", .required = true)
};

struct PodResourceClaim {
    TYPE(PodResourceClaim,
         "A claim for devices that the pod uses, either one that exists or one that is made from a template.")
    FIELD(1, Text, name, "Name by which containers refer to the claim: a DNS label, unique in the pod.",
          .required = true)
    FIELD(3, std::optional<Text>, resource_claim_name,
          "A ResourceClaim in the pod's namespace. Either this or resourceClaimTemplateName is set.")
    FIELD(4, std::optional<Text>, resource_claim_template_name,
          "A ResourceClaimTemplate in the pod's namespace from which a claim is made that lives as long as the pod. It "
          "cannot change.")
};

struct PodOS {
    TYPE(PodOS, "The operating system that a pod is for.")
    FIELD(1, Text, name, "Its name: linux or windows.", .required = true, .one_of = "linux|windows")
};

struct HostAlias {
    TYPE(HostAlias, "A line of the pod's hosts file.")
    FIELD(1, Text, ip, "The address.", .required = true)
    FIELD(2, List<Text>, hostnames, "Names that stand for the address.")
};

struct PodDNSConfigOption {
    TYPE(PodDNSConfigOption, "One option of the DNS resolver.")
    FIELD(1, Text, name, "Name of the option. Must not be empty.")
    FIELD(2, std::optional<Text>, value, "Its value, when it has one.")
};

struct PodDNSConfig {
    TYPE(PodDNSConfig, "DNS settings that are added to those of dnsPolicy.")
    FIELD(1, List<Text>, nameservers, "Addresses of more name servers. Duplicates are dropped.")
    FIELD(2, List<Text>, searches, "More domains to search names in. Duplicates are dropped.")
    FIELD(3, List<PodDNSConfigOption>, options,
          "More resolver options. They go before options of the same name from dnsPolicy.")
};

struct Sysctl {
    TYPE(Sysctl, "A kernel parameter to set for the pod.")
    FIELD(1, Text, name, "Name of the parameter.", .required = true)
    FIELD(2, Text, value, "Value to set.", .required = true)
};

struct PodSecurityContext {
    TYPE(PodSecurityContext, "Security settings of a whole pod. A container's own settings go before them.")
    FIELD(1, Box<SELinuxOptions>, se_linux_options,
          "SELinux label of all containers. The runtime picks one each by default.")
    FIELD(2, std::optional<std::int64_t>, run_as_user,
          "User id that all containers run as. The image's user by default.")
    FIELD(3, std::optional<bool>, run_as_non_root, "When true, containers that would run as user 0 are not started.")
    FIELD(4, List<std::int64_t>, supplemental_groups,
          "Group ids that the first process of each container gets beside its primary group and fsGroup.")
    FIELD(5, std::optional<std::int64_t>, fs_group,
          "Group id that owns the pod's volumes, where the volume type allows it. All containers are members of it.")
    FIELD(6, std::optional<std::int64_t>, run_as_group,
          "Group id that all containers run as. The runtime's choice by default.")
    FIELD(7, List<Sysctl>, sysctls,
          "Kernel parameters to set for the pod. The pod may fail to start when the runtime does not allow one.")
    FIELD(8, Box<WindowsSecurityContextOptions>, windows_options, "Settings that only Windows has.")
    FIELD(9, std::optional<Text>, fs_group_change_policy,
          "When the owner of a volume's files is changed to fsGroup: always, which is the default, or only when that "
          "of its root differs.",
          .one_of = "OnRootMismatch|Always")
    FIELD(10, Box<SeccompProfile>, seccomp_profile, "System calls the containers may make.")
    FIELD(11, Box<AppArmorProfile>, app_armor_profile, "AppArmor rules the containers run under.")
    FIELD(12, std::optional<Text>, supplemental_groups_policy,
          "Whether the groups that the image gives to the user count too. Merge, the default, adds them; Strict leaves "
          "them out.",
          .one_of = "Merge|Strict")
    FIELD(13, std::optional<Text>, se_linux_change_policy,
          "How the SELinux label gets onto volumes: by relabelling every file, or by a mount option.",
          .one_of = "Recursive|MountOption")
};

struct PodSchedulingGroup {
    TYPE(PodSchedulingGroup, "The group of pods that a pod is scheduled together with.")
    FIELD(1, std::optional<Text>, pod_group_name, "Name of the PodGroup, in the pod's namespace.")
};

struct EvictionResponder {
    TYPE(EvictionResponder, "A program that helps a pod to end before it is evicted.")
    FIELD(1, Text, name, "Name of the responder, as domain/name.", .required = true)
    FIELD(2, std::int32_t, priority, "Responders with a higher priority come first.", .required = true)
};

struct PodSpec {
    TYPE(PodSpec, "What a pod is to be: its containers, their surroundings, and where and how they run.")
    FIELD(1, List<Volume>, volumes, "Volumes that the pod's containers can mount.", .shared = true,
          .patch = Patch::kMergeRetainKeys, .merge_key = "name", .list = ListKind::kMap)
    FIELD(2, List<Container>, containers, "Containers of the pod, at least one. None can be added or removed later.",
          .required = true, .shared = true, .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(3, Text, restart_policy,
          "When containers that end are started again. Always by default; the pods of a Job must have OnFailure or "
          "Never.",
          .one_of = "Always|OnFailure|Never")
    FIELD(4, std::optional<std::int64_t>, termination_grace_period_seconds,
          "Seconds that containers get between the request to stop and the kill. 0 kills at once; 30 by default.")
    FIELD(5, std::optional<std::int64_t>, active_deadline_seconds,
          "Seconds the pod may be active, counted from its start time, before it is killed and has failed. Must be "
          "above zero.")
    FIELD(6, Text, dns_policy,
          "Where DNS settings come from. ClusterFirst by default; a pod on the host's network needs "
          "ClusterFirstWithHostNet for the same.",
          .one_of = "ClusterFirstWithHostNet|ClusterFirst|Default|None")
    FIELD(7, Map<Text>, node_selector, "Labels that a node must have for the pod to be placed on it.", .shared = true,
          .atomic = true)
    FIELD(8, Text, service_account_name, "Service account that the pod runs as.")
    FIELD(9, Text, service_account, "Old name of serviceAccountName, kept for old clients. Use that one.")
    FIELD(10, Text, node_name, "The node that runs the pod. Empty until the scheduler has chosen one.")
    FIELD(14, Box<PodSecurityContext>, security_context,
          "Security settings of the pod and defaults for its containers.", .shared = true)
    FIELD(15, List<LocalObjectReference>, image_pull_secrets, "Secrets in the pod's namespace to pull its images with.",
          .shared = true, .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(16, Text, hostname, "Host name of the pod. Its own name by default.")
    FIELD(17, Text, subdomain,
          "When set, the pod's full host name is hostname.subdomain.namespace.svc and the cluster's domain.")
    FIELD(18, Box<Affinity>, affinity, "Rules for the nodes and neighbours that the pod may have or prefers.",
          .shared = true)
    FIELD(19, Text, scheduler_name, "The scheduler that places the pod. The default one when empty.")
    FIELD(20, List<Container>, init_containers,
          "Containers that run one after another, each to its success, before the others start. A failure is handled "
          "by the restart policy.",
          .shared = true, .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(22, List<Toleration>, tolerations, "Taints of nodes that the pod puts up with.", .shared = true)
    FIELD(23, List<HostAlias>, host_aliases, "Lines to add to the pod's hosts file.", .shared = true,
          .patch = Patch::kMerge, .merge_key = "ip", .list = ListKind::kMap)
    FIELD(24, Text, priority_class_name,
          "The PriorityClass that gives the pod its priority. The default class when empty, or priority 0 without one.")
    FIELD(26, Box<PodDNSConfig>, dns_config, "DNS settings to add to those of dnsPolicy.", .shared = true)
    FIELD(28, List<PodReadinessGate>, readiness_gates, "Further conditions that must be true for the pod to be ready.")
    FIELD(29, std::optional<Text>, runtime_class_name,
          "The RuntimeClass to run the pod with. The node's default runtime when empty.")
    FIELD(31, std::optional<Text>, preemption_policy,
          "Whether the pod may push out pods of lower priority to get a place. It may by default.",
          .one_of = "PreemptLowerPriority|Never")
    FIELD(32, Map<Quantity>, overhead,
          "Resources that the runtime itself needs for the pod. Filled in from the RuntimeClass.")
    FIELD(33, List<TopologySpreadConstraint>, topology_spread_constraints,
          "How pods like this one are to be spread over zones or hosts. All of them must hold.", .shared = true,
          .patch = Patch::kMerge, .merge_key = "topologyKey", .list = ListKind::kMap,
          .list_keys = "topologyKey,whenUnsatisfiable")
    FIELD(34, List<EphemeralContainer>, ephemeral_containers,
          "Containers added to the running pod for debugging, through the subresource ephemeralcontainers only.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(36, Box<PodOS>, os, "The operating system the pod is for. Settings of another system are then refused.")
    FIELD(38, List<PodSchedulingGate>, scheduling_gates,
          "While any is left, the pod is not scheduled. Gates are set on create and can only be removed later.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    FIELD(39, List<PodResourceClaim>, resource_claims,
          "Claims for devices that must be allocated before the pod can start. They cannot change.",
          .patch = Patch::kMergeRetainKeys, .merge_key = "name", .list = ListKind::kMap)
    FIELD(40, Box<ResourceRequirements>, resources,
          "Requests and limits of the pod as a whole, for cpu, memory and huge pages.")
    FIELD(41, std::optional<Text>, hostname_override,
          "Host name that the pod itself sees, in place of hostname and subdomain and without effect on DNS. At most "
          "64 characters; not with hostNetwork or setHostnameAsFQDN.")
    // 42 was workloadRef, which Kubernetes 1.36 removed.
    GATED(43, Box<PodSchedulingGroup>, scheduling_group,
          "The group of pods that this one is scheduled with. It cannot change.")
    GATED(44, List<EvictionResponder>, eviction_responders, "Programs that are asked first when the pod is evicted.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
    // The small ones stand together, so that no padding is between them.
    FIELD(25, std::optional<std::int32_t>, priority,
          "Priority of the pod; more is more important. Filled in from priorityClassName.")
    FIELD(63, std::optional<std::int32_t>, ttl_seconds_after_finished,
          "Seconds after its end at which the pod is removed; without it the pod is kept. An addition of Muster, from "
          "the future work of KEP-592: Kubernetes has it for Jobs only.",
          .muster_only = true)
    FIELD(11, bool, host_network, "When true, the pod uses the node's network and its ports are ports of the node.")
    FIELD(12, bool, host_pid, "When true, the pod sees the node's processes.", .json = "hostPID")
    FIELD(13, bool, host_ipc, "When true, the pod shares the node's IPC.", .json = "hostIPC")
    FIELD(21, std::optional<bool>, automount_service_account_token,
          "Whether a token of the service account is mounted. The service account decides when not set.")
    FIELD(27, std::optional<bool>, share_process_namespace,
          "When true, the pod's containers see and can signal each other's processes. Not together with hostPID.")
    FIELD(30, std::optional<bool>, enable_service_links,
          "Whether containers get environment variables about the namespace's services. True by default.")
    FIELD(35, std::optional<bool>, set_hostname_as_fqdn,
          "When true, the kernel's host name is the full one. False by default.", .json = "setHostnameAsFQDN")
    FIELD(37, std::optional<bool>, host_users,
          "When false, the pod gets a user namespace of its own, where root is not root of the node. True by default.")
};

struct Pod {
    KIND(Pod, "A group of containers that run together on one node.", .plural = "pods", .short_names = "po",
         .categories = "all", .access = Access::kEdit, .returned_by_delete = true, .removed_first = true)
    FIELD(1, meta::ObjectMeta, metadata, "Name, labels, owners and the like.")
    FIELD(2, PodSpec, spec, "What the pod is to be.")
    FIELD(3, PodStatus, status,
          "How the pod is doing, as last reported. Written by the system and may be a little behind.")
};

struct PodTemplateSpec {
    TYPE(PodTemplateSpec, "The pod that a controller makes copies of.")
    FIELD(1, meta::ObjectMeta, metadata, "Labels, annotations and finalizers that each copy gets.")
    FIELD(2, PodSpec, spec, "What each copy is to be.")
};

struct PodTemplate {
    KIND(PodTemplate, "A stored template of pods.", .plural = "podtemplates", .access = Access::kEdit)
    FIELD(1, meta::ObjectMeta, metadata, "Name, labels, owners and the like.")
    FIELD(2, PodTemplateSpec, template_, "The template.", .json = "template")
};

struct Binding {
    KIND(Binding, "Ties a pod to the node that is to run it.", .plural = "bindings")
    FIELD(1, meta::ObjectMeta, metadata, "Name and namespace of the pod.")
    FIELD(2, ObjectReference, target, "The node.", .required = true)
};

struct PodLogOptions {
    TYPE(PodLogOptions, "What to read of a container's log.")
    FIELD(1, Text, container, "The container. Can be left out when the pod has only one.")
    FIELD(2, bool, follow, "When true, the answer goes on with new lines until the container ends.")
    FIELD(3, bool, previous, "When true, the log of the container's previous run.")
    FIELD(4, std::optional<std::int64_t>, since_seconds,
          "Only lines from the last so many seconds. Not together with sinceTime.")
    FIELD(5, std::optional<Time>, since_time, "Only lines since this time. Not together with sinceSeconds.")
    FIELD(6, bool, timestamps, "When true, each line starts with its time.")
    FIELD(7, std::optional<std::int64_t>, tail_lines,
          "Only so many lines from the end of the log. Not for a single stream.")
    FIELD(8, std::optional<std::int64_t>, limit_bytes, "End the answer after about so many bytes.")
    FIELD(9, bool, insecure_skip_tls_verify_backend,
          "When true, the server does not check the node's certificate when it asks for the log.",
          .json = "insecureSkipTLSVerifyBackend")
    FIELD(10, std::optional<Text>, stream,
          "Which output to read. All by default, standard output and error as they came.",
          .one_of = "All|Stdout|Stderr")
};

struct PodAttachOptions {
    TYPE(PodAttachOptions, "How to attach to a running container.")
    FIELD(1, bool, stdin_, "When true, the client's input goes to the container.", .json = "stdin")
    FIELD(2, bool, stdout_, "When true, the container's output goes to the client. True by default.", .json = "stdout")
    FIELD(3, bool, stderr_, "When true, the container's error output goes to the client. True by default.",
          .json = "stderr")
    FIELD(4, bool, tty, "When true, the streams are a terminal.")
    FIELD(5, Text, container, "The container. Can be left out when the pod has only one.")
};

struct PodExecOptions {
    TYPE(PodExecOptions, "How to run a command in a running container.")
    FIELD(1, bool, stdin_, "When true, the client's input goes to the command.", .json = "stdin")
    FIELD(2, bool, stdout_, "When true, the command's output goes to the client.", .json = "stdout")
    FIELD(3, bool, stderr_, "When true, the command's error output goes to the client.", .json = "stderr")
    FIELD(4, bool, tty, "When true, the command gets a terminal.")
    FIELD(5, Text, container, "The container. Can be left out when the pod has only one.")
    FIELD(6, List<Text>, command, "The program and its arguments, not run through a shell.", .required = true)
};

struct PodPortForwardOptions {
    TYPE(PodPortForwardOptions, "Which ports of a pod to forward.")
    FIELD(1, List<std::int32_t>, ports, "The ports. Needed when the connection is a WebSocket.")
};

}  // namespace muster::api::core
