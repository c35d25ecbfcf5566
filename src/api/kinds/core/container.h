// A container of a pod and all it is made of: environment, ports, mounts, probes, hooks, resources, restart rules and
// security settings. Part of a pod's spec; the node reads all of it.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/schema/declare.h"
#include "api/value/int_or_string.h"
#include "api/value/quantity.h"

namespace muster::api::core {

struct ObjectFieldSelector {
    TYPE(ObjectFieldSelector, "Names a field of the pod whose value is handed to a container.", .atomic = true)
    FIELD(1, Text, api_version, "Version of the pod's schema in which fieldPath is written. v1 by default.")
    FIELD(2, Text, field_path, "Path of the field, such as metadata.name or status.podIP.", .required = true)
};

struct ResourceFieldSelector {
    TYPE(ResourceFieldSelector, "Names a request or limit of a container whose value is handed to a container.",
         .atomic = true)
    FIELD(1, Text, container_name,
          "The container to look at. An environment variable takes its own when this is empty; a volume must name one.")
    FIELD(2, Text, resource, "What to read, such as limits.cpu or requests.memory.", .required = true)
    FIELD(3, Quantity, divisor, "Unit of the result: the value is divided by it and rounded up. 1 by default.")
};

struct ConfigMapKeySelector {
    TYPE(ConfigMapKeySelector, "Names one key of a ConfigMap in the pod's namespace.", .atomic = true)
    FIELD(1, LocalObjectReference, reference, "The ConfigMap.", .inlined = true)
    FIELD(2, Text, key, "The key to read.", .required = true)
    FIELD(3, std::optional<bool>, optional,
          "When true, the container starts though the ConfigMap or the key is missing.")
};

struct SecretKeySelector {
    TYPE(SecretKeySelector, "Names one key of a Secret in the pod's namespace.", .atomic = true)
    FIELD(1, LocalObjectReference, reference, "The Secret.", .inlined = true)
    FIELD(2, Text, key, "The key to read.", .required = true)
    FIELD(3, std::optional<bool>, optional, "When true, the container starts though the Secret or the key is missing.")
};

struct FileKeySelector {
    TYPE(FileKeySelector, "Names one key of a file of variables that lies in a volume of the pod.", .atomic = true)
    FIELD(1, Text, volume_name, "The volume that holds the file.", .required = true)
    FIELD(2, Text, path, "Path of the file within the volume: relative and without any '..'.", .required = true)
    FIELD(3, Text, key,
          "The key to read, at most 128 characters. A key that is no valid variable name keeps the pod from starting.",
          .required = true)
    FIELD(4, std::optional<bool>, optional,
          "When true, a missing file or key leaves the variable unset. Otherwise, and by default, it is an error.")
};

struct EnvVarSource {
    TYPE(EnvVarSource, "Where the value of an environment variable comes from. Exactly one source is set.")
    FIELD(1, Box<ObjectFieldSelector>, field_ref,
          "A field of the pod: its name, namespace, uid, one label or annotation, node, service account or addresses.")
    FIELD(2, Box<ResourceFieldSelector>, resource_field_ref,
          "A request or limit of the container for cpu, memory or ephemeral storage.")
    FIELD(3, Box<ConfigMapKeySelector>, config_map_key_ref, "A key of a ConfigMap.")
    FIELD(4, Box<SecretKeySelector>, secret_key_ref, "A key of a Secret.")
    FIELD(5, Box<FileKeySelector>, file_key_ref, "A key of a file in a volume. Needs the EnvFiles feature.")
};

struct EnvVar {
    TYPE(EnvVar, "One environment variable of a container.")
    FIELD(1, Text, name, "Name of the variable: printable ASCII without '='.", .required = true)
    FIELD(2, Text, value,
          "Its value. $(NAME) is replaced by an earlier variable of that name, and stays as it is when there is none; "
          "$$ stands for one $.")
    FIELD(3, Box<EnvVarSource>, value_from, "Where to take the value from. Only when value is empty.")
};

struct ConfigMapEnvSource {
    TYPE(ConfigMapEnvSource, "A ConfigMap whose every key becomes an environment variable.")
    FIELD(1, LocalObjectReference, reference, "The ConfigMap.", .inlined = true)
    FIELD(2, std::optional<bool>, optional, "When true, the container starts though the ConfigMap is missing.")
};

struct SecretEnvSource {
    TYPE(SecretEnvSource, "A Secret whose every key becomes an environment variable.")
    FIELD(1, LocalObjectReference, reference, "The Secret.", .inlined = true)
    FIELD(2, std::optional<bool>, optional, "When true, the container starts though the Secret is missing.")
};

struct EnvFromSource {
    TYPE(EnvFromSource, "A source of many environment variables at once. Exactly one of the two references is set.")
    FIELD(1, Text, prefix, "Put before the name of each variable: printable ASCII without '='.")
    FIELD(2, Box<ConfigMapEnvSource>, config_map_ref, "A ConfigMap to take them from.")
    FIELD(3, Box<SecretEnvSource>, secret_ref, "A Secret to take them from.")
};

struct ContainerPort {
    TYPE(ContainerPort, "A port on which a container listens.")
    FIELD(1, Text, name,
          "Name that services and probes may use for the port: unique in the pod, at most 15 characters.")
    FIELD(2, std::int32_t, host_port,
          "Port of the node that leads here, 1 to 65535. On the host's network it must equal containerPort.")
    FIELD(3, std::int32_t, container_port, "Number of the port, 1 to 65535.", .required = true)
    FIELD(4, Text, protocol, "Protocol spoken on the port. TCP by default.", .one_of = "TCP|UDP|SCTP")
    FIELD(5, Text, host_ip, "Address of the node to bind hostPort to. All of them by default.", .json = "hostIP")
};

struct VolumeMount {
    TYPE(VolumeMount, "Makes a volume of the pod appear in a container's files.")
    FIELD(1, Text, name, "The volume to mount.", .required = true)
    FIELD(2, bool, read_only, "When true, the container cannot write to it.")
    FIELD(3, Text, mount_path, "Where it appears in the container. Must not contain ':'.", .required = true)
    FIELD(4, Text, sub_path, "Path within the volume to mount in place of its root.")
    FIELD(5, std::optional<Text>, mount_propagation,
          "Whether mounts made later inside the volume are seen from the host and from the container. None by default.",
          .one_of = "None|HostToContainer|Bidirectional")
    FIELD(6, Text, sub_path_expr,
          "Like subPath, with $(NAME) replaced from the container's environment. Not together with subPath.")
    FIELD(7, std::optional<Text>, recursive_read_only,
          "Whether mounts below a read-only mount are read-only too. Only with readOnly; Disabled by default.",
          .one_of = "Disabled|IfPossible|Enabled")
    GATED(8, List<Text>, bind_mount_options, "Further options of the mount: noexec, nodev, nosuid.",
          .list = ListKind::kSet)
};

struct VolumeDevice {
    TYPE(VolumeDevice, "Makes a raw block volume appear as a device of a container.")
    FIELD(1, Text, name, "The claim's volume in the pod.", .required = true)
    FIELD(2, Text, device_path, "Path of the device in the container.", .required = true)
};

struct HTTPHeader {
    TYPE(HTTPHeader, "A header to send with a request.")
    FIELD(1, Text, name, "Name of the header. Case makes no difference.", .required = true)
    FIELD(2, Text, value, "Its value.", .required = true)
};

struct HTTPGetAction {
    TYPE(HTTPGetAction, "Sends an HTTP GET; any answer from 200 to 399 is a success.")
    FIELD(1, Text, path, "Path to ask for. / by default.")
    FIELD(2, IntOrString, port, "Port to connect to: a number from 1 to 65535 or the name of a container port.",
          .required = true)
    FIELD(3, Text, host,
          "Host to connect to, the pod's address by default. To send another Host header, use httpHeaders.")
    FIELD(4, Text, scheme, "HTTP or HTTPS. HTTP by default.", .one_of = "HTTP|HTTPS")
    FIELD(5, List<HTTPHeader>, http_headers, "Headers to send. The same one may stand here more than once.")
    GATED(6, std::optional<Text>, protocol, "Protocol of the connection. HTTP/1.1 by default.")
};

struct TCPSocketAction {
    TYPE(TCPSocketAction, "Opens a TCP connection; being accepted is a success.")
    FIELD(1, IntOrString, port, "Port to connect to: a number from 1 to 65535 or the name of a container port.",
          .required = true)
    FIELD(2, Text, host, "Host to connect to, the pod's address by default.")
};

struct GRPCAction {
    TYPE(GRPCAction, "Asks a gRPC health service.")
    FIELD(1, std::int32_t, port, "Port of the service, 1 to 65535.", .required = true)
    FIELD(2, std::optional<Text>, service,
          "Name of the service to ask about. Empty by default, which asks about the server as a whole.",
          .required = true, .optional = true)
    GATED(3, std::optional<Text>, mode, "How to connect.")
};

struct ExecAction {
    TYPE(ExecAction, "Runs a command in the container; exit code 0 is a success.")
    FIELD(1, List<Text>, command, "The program and its arguments, run from / and not through a shell.")
};

struct SleepAction {
    TYPE(SleepAction, "Waits.")
    FIELD(1, std::int64_t, seconds, "How many seconds to wait.", .required = true)
};

struct ProbeHandler {
    TYPE(ProbeHandler, "How a probe finds out. Exactly one way is set.")
    FIELD(1, Box<ExecAction>, exec, "Run a command in the container.")
    FIELD(2, Box<HTTPGetAction>, http_get, "Send an HTTP request.")
    FIELD(3, Box<TCPSocketAction>, tcp_socket, "Open a TCP connection.")
    FIELD(4, Box<GRPCAction>, grpc, "Ask a gRPC health service.")
};

struct Probe {
    TYPE(Probe, "A question that is put to a container again and again, to learn whether it is well.")
    FIELD(1, ProbeHandler, handler, "How the probe finds out.", .inlined = true)
    FIELD(2, std::int32_t, initial_delay_seconds, "Seconds to wait after the container's start before the first try.")
    FIELD(3, std::int32_t, timeout_seconds,
          "Seconds after which a try without an answer has failed. At least 1, and 1 by default.")
    FIELD(4, std::int32_t, period_seconds, "Seconds from one try to the next. At least 1; 10 by default.")
    FIELD(5, std::int32_t, success_threshold,
          "Successes in a row that end a failure. At least 1, and 1 by default; must be 1 for liveness and startup.")
    FIELD(6, std::int32_t, failure_threshold, "Failures in a row that end a success. At least 1; 3 by default.")
    FIELD(7, std::optional<std::int64_t>, termination_grace_period_seconds,
          "Seconds to end in when this probe kills the container, in place of the pod's own. At least 1; not for "
          "readiness probes.")
};

struct LifecycleHandler {
    TYPE(LifecycleHandler, "What to do at a moment of a container's life. Exactly one action is set.")
    FIELD(1, Box<ExecAction>, exec, "Run a command in the container.")
    FIELD(2, Box<HTTPGetAction>, http_get, "Send an HTTP request.")
    FIELD(3, Box<TCPSocketAction>, tcp_socket,
          "Never supported: a hook with it fails when it runs. Kept because old clients may send it.")
    FIELD(4, Box<SleepAction>, sleep, "Wait for a while.")
};

// The signals by which a container may be asked to stop.
inline constexpr const char* kStopSignals =
    "SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|"
    "SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|"
    "SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+2|SIGRTMIN+3|"
    "SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|"
    "SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMAX-14|SIGRTMAX-13|SIGRTMAX-12|SIGRTMAX-11|SIGRTMAX-10|SIGRTMAX-9|"
    "SIGRTMAX-8|SIGRTMAX-7|SIGRTMAX-6|SIGRTMAX-5|SIGRTMAX-4|SIGRTMAX-3|SIGRTMAX-2|SIGRTMAX-1|SIGRTMAX";

struct Lifecycle {
    TYPE(Lifecycle, "What to do when a container has started and before it is stopped.")
    FIELD(1, Box<LifecycleHandler>, post_start,
          "Done right after the start. When it fails, the container is killed and handled by its restart policy.")
    FIELD(2, Box<LifecycleHandler>, pre_stop,
          "Done before a container is stopped, but not when it ends by itself. The pod's grace period runs meanwhile "
          "and bounds it.")
    FIELD(3, std::optional<Text>, stop_signal,
          "Signal that asks the container to stop, the runtime's own choice by default. Only in pods that name their "
          "operating system.",
          .one_of = kStopSignals)
};

struct ContainerResizePolicy {
    TYPE(ContainerResizePolicy, "What a change of one resource means for a running container.")
    FIELD(1, Text, resource_name, "The resource: cpu or memory.", .required = true)
    FIELD(2, Text, restart_policy, "Whether the container is restarted for the change. NotRequired by default.",
          .required = true, .one_of = "NotRequired|RestartContainer")
};

struct ContainerRestartRuleOnExitCodes {
    TYPE(ContainerRestartRuleOnExitCodes, "A set of exit codes, and whether being in it or outside it counts.")
    FIELD(1, Text, operator_, "In matches the listed codes, NotIn all the others.", .json = "operator",
          .one_of = "In|NotIn")
    FIELD(2, List<std::int32_t>, values, "The exit codes, at most 255 of them.", .list = ListKind::kSet)
};

struct ContainerRestartRule {
    TYPE(ContainerRestartRule, "What to do when a container exits in a certain way.")
    FIELD(1, Text, action, "What to do: restart the container, or all containers of the pod.",
          .one_of = "Restart|RestartAllContainers")
    FIELD(2, Box<ContainerRestartRuleOnExitCodes>, exit_codes, "The exits that the rule is for.")
};

struct ResourceClaim {
    TYPE(ResourceClaim, "A claim of the pod that a container uses.")
    FIELD(1, Text, name, "Name of the claim, one of the pod's resourceClaims.", .required = true)
    FIELD(2, Text, request, "The one request of the claim to use. Empty uses all of it.")
};

struct ResourceRequirements {
    TYPE(ResourceRequirements, "What a container asks for and the most it may take.")
    FIELD(1, Map<Quantity>, limits, "The most of each resource that may be used.")
    FIELD(2, Map<Quantity>, requests,
          "How much of each resource is set aside. The limit by default, and never above it.")
    FIELD(3, List<ResourceClaim>, claims,
          "Claims of the pod that the container uses. Only for containers; they cannot change.", .list = ListKind::kMap,
          .list_keys = "name")
};

struct Capabilities {
    TYPE(Capabilities, "Kernel capabilities to add to and take from those the runtime grants.")
    FIELD(1, List<Text>, add, "Capabilities to add.")
    FIELD(2, List<Text>, drop, "Capabilities to take away.")
};

struct SELinuxOptions {
    TYPE(SELinuxOptions, "The SELinux label of a process.")
    FIELD(1, Text, user, "User part of the label.")
    FIELD(2, Text, role, "Role part of the label.")
    FIELD(3, Text, type, "Type part of the label.")
    FIELD(4, Text, level, "Level part of the label.")
};

struct WindowsSecurityContextOptions {
    TYPE(WindowsSecurityContextOptions, "Security settings that only Windows has.")
    FIELD(1, std::optional<Text>, gmsa_credential_spec_name,
          "Name of the group-managed service account's credential spec.")
    FIELD(2, std::optional<Text>, gmsa_credential_spec,
          "The credential spec itself, filled in by an admission webhook.")
    FIELD(3, std::optional<Text>, run_as_user_name, "Windows user to run as. The image's user by default.")
    FIELD(4, std::optional<bool>, host_process,
          "Whether it runs as a process of the host. All containers of a pod must agree, and hostNetwork must be true.")
};

struct SeccompProfile {
    TYPE(SeccompProfile, "Which system calls a process may make.")
    FIELD(1, Text, type,
          "Where the profile comes from: a file on the node, the runtime's default, or no profile at all.",
          .required = true, .one_of = "Unconfined|RuntimeDefault|Localhost")
    FIELD(2, std::optional<Text>, localhost_profile,
          "File of the profile, relative to the node's seccomp folder. Needed with Localhost, refused otherwise.")
};

struct AppArmorProfile {
    TYPE(AppArmorProfile, "The AppArmor rules that a process runs under.")
    FIELD(1, Text, type,
          "Where the profile comes from: one loaded on the node, the runtime's default, or no profile at all.",
          .required = true, .one_of = "Unconfined|RuntimeDefault|Localhost")
    FIELD(2, std::optional<Text>, localhost_profile,
          "Name of the loaded profile. Needed with Localhost, refused otherwise.")
};

struct SecurityContext {
    TYPE(SecurityContext,
         "Security settings of one container. What is set here goes before the same setting of the pod.")
    FIELD(1, Box<Capabilities>, capabilities, "Kernel capabilities to add or to drop.")
    FIELD(2, std::optional<bool>, privileged,
          "When true, the container is as powerful as root on the host. False by default.")
    FIELD(3, Box<SELinuxOptions>, se_linux_options, "SELinux label of the container. The runtime picks one by default.")
    FIELD(4, std::optional<std::int64_t>, run_as_user, "User id to run as. The image's user by default.")
    FIELD(5, std::optional<bool>, run_as_non_root, "When true, a container that would run as user 0 is not started.")
    FIELD(6, std::optional<bool>, read_only_root_filesystem,
          "When true, the container cannot write to its root file system. False by default.")
    FIELD(7, std::optional<bool>, allow_privilege_escalation,
          "Whether a process may gain more rights than its parent. Always true for privileged containers and those "
          "with CAP_SYS_ADMIN.")
    FIELD(8, std::optional<std::int64_t>, run_as_group, "Group id to run as. The runtime's choice by default.")
    FIELD(9, std::optional<Text>, proc_mount,
          "How /proc is mounted: with the runtime's masked paths, which is the default, or without them.",
          .one_of = "Default|Unmasked")
    FIELD(10, Box<WindowsSecurityContextOptions>, windows_options, "Settings that only Windows has.")
    FIELD(11, Box<SeccompProfile>, seccomp_profile, "System calls the container may make.")
    FIELD(12, Box<AppArmorProfile>, app_armor_profile, "AppArmor rules the container runs under.")
};

struct Container {
    TYPE(Container, "One program that a pod runs, and all it needs to run.")
    FIELD(1, Text, name, "Name of the container: a DNS label, unique in the pod. It cannot change.", .required = true)
    FIELD(2, Text, image, "Image to run. Higher-level objects may fill it in.")
    FIELD(3, List<Text>, command,
          "The program to run and its first arguments, not through a shell; the image's entry point by default. "
          "$(NAME) is replaced from the environment, $$ stands for one $.")
    FIELD(4, List<Text>, args,
          "Arguments to the program; the image's own by default. $(NAME) is replaced from the environment, $$ stands "
          "for one $.")
    FIELD(5, Text, working_dir, "Directory to start in. The image's or the runtime's by default.")
    FIELD(6, List<ContainerPort>, ports,
          "Ports the container listens on. The list informs; a port that is missing here can be reached all the same.",
          .patch = Patch::kMerge, .merge_key = "containerPort", .list = ListKind::kMap,
          .list_keys = "containerPort,protocol")
    FIELD(7, List<EnvVar>, env, "Environment variables. They go before those from envFrom.", .patch = Patch::kMerge,
          .merge_key = "name", .list = ListKind::kMap)
    FIELD(8, ResourceRequirements, resources, "Resources the container asks for and may take.")
    FIELD(9, List<VolumeMount>, volume_mounts, "Volumes of the pod to mount in the container.", .patch = Patch::kMerge,
          .merge_key = "mountPath", .list = ListKind::kMap)
    FIELD(10, Box<Probe>, liveness_probe, "Tells whether the container still works. It is restarted when this fails.")
    FIELD(11, Box<Probe>, readiness_probe,
          "Tells whether the container can serve. The pod gets no traffic from services while this fails.")
    FIELD(12, Box<Lifecycle>, lifecycle, "What to do after its start and before its stop.")
    FIELD(13, Text, termination_message_path,
          "File whose content becomes the message of the ended container, at most 4096 bytes. /dev/termination-log by "
          "default.")
    FIELD(14, Text, image_pull_policy,
          "When to pull the image. Always by default for the tag latest, IfNotPresent for all others.",
          .one_of = "Always|Never|IfNotPresent")
    FIELD(15, Box<SecurityContext>, security_context,
          "Security settings of the container. They go before those of the pod.")
    FIELD(16, bool, stdin_, "When true, the container gets an open standard input. Otherwise its reads end at once.",
          .json = "stdin")
    FIELD(17, bool, stdin_once, "When true, standard input is closed after the first client that attached has left.")
    FIELD(18, bool, tty, "When true, the container gets a terminal. Needs stdin.")
    FIELD(19, List<EnvFromSource>, env_from,
          "Sources of many environment variables at once. Of the same name, the last source stands.")
    FIELD(20, Text, termination_message_policy,
          "Where the message of the ended container comes from: the file alone, which is the default, or the end of "
          "the log when the file is empty and the container failed.",
          .one_of = "File|FallbackToLogsOnError")
    FIELD(21, List<VolumeDevice>, volume_devices, "Raw block volumes that the container uses.", .patch = Patch::kMerge,
          .merge_key = "devicePath", .list = ListKind::kMap)
    FIELD(22, Box<Probe>, startup_probe,
          "Tells whether the container has come up. The other probes wait for it, and the container is restarted when "
          "it fails.")
    FIELD(23, List<ContainerResizePolicy>, resize_policy,
          "What a change of its resources means for the running container.")
    FIELD(24, std::optional<Text>, restart_policy,
          "When to restart this container, in place of the pod's policy. Always makes an init container a sidecar: the "
          "next ones start without waiting for its end.",
          .one_of = "Always|Never|OnFailure")
    FIELD(25, List<ContainerRestartRule>, restart_policy_rules,
          "Rules for single exits. The first that matches decides; without a match restartPolicy does, which must be "
          "set.")
};

// Kubernetes has a second type with the same fields under the same numbers here; we need only one.
using EphemeralContainerCommon = Container;

struct EphemeralContainer {
    TYPE(EphemeralContainer,
         "A container that is added to a pod that already runs, to look into it. It is never restarted and cannot be "
         "removed.")
    FIELD(1, EphemeralContainerCommon, container,
          "What it shares with every container. Ports, probes, lifecycle and resources are not allowed.",
          .inlined = true)
    FIELD(2, Text, target_container_name, "The container whose namespaces it joins. The pod's own by default.")
};

}  // namespace muster::api::core
