// Rules of containers of all three kinds: names, ports, restart rules, images; what init and ephemeral ones lack.
#include <algorithm>
#include <set>

#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

constexpr std::size_t kRestartRulesMax = 20;
constexpr std::size_t kRestartExitCodesMax = 255;
constexpr const char* kOnlySidecars = "may not be set for init containers without restartPolicy=Always";
constexpr const char* kNotEphemeral = "cannot be set for an Ephemeral Container";

void check_ports(const List<core::ContainerPort>& ports, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const core::ContainerPort& port = ports[i];
        const FieldPath at = path.index(i);
        if (!port.name.empty()) {
            const Problems problems = is_port_name(port.name);
            const bool taken = std::any_of(ports.begin(), ports.begin() + i,
                                           [&](const auto& earlier) { return earlier.name == port.name; });
            errors.add_problems(at.child("name"), port.name, problems);
            if (problems.empty() && taken) errors.add_duplicate(at.child("name"), port.name);
        }
        if (port.container_port == 0) {
            errors.add_required(at.child("containerPort"), "");
        } else {
            errors.add_problems(at.child("containerPort"), port.container_port, is_port_number(port.container_port));
        }
        if (port.host_port != 0)
            errors.add_problems(at.child("hostPort"), port.host_port, is_port_number(port.host_port));
        if (port.protocol.empty()) {
            errors.add_required(at.child("protocol"), "");
        } else if (!is_one_of(port.protocol, {"SCTP", "TCP", "UDP"})) {
            errors.add_not_supported(at.child("protocol"), port.protocol, {"SCTP", "TCP", "UDP"});
        }
    }
}

// Two containers that run side by side cannot have the same port of the node.
void check_host_ports(const core::Container* first, std::size_t count, const FieldPath& path, FieldErrors& errors) {
    std::set<std::string> taken;
    for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t p = 0; p < first[c].ports.size(); ++p) {
            const core::ContainerPort& port = first[c].ports[p];
            if (port.host_port == 0) continue;
            std::string key = port.protocol.str() + "/" + port.host_ip.str() + "/" + std::to_string(port.host_port);
            if (!taken.insert(key).second)
                errors.add_duplicate(path.index(c).child("ports").index(p).child("hostPort"), key);
        }
    }
}

void check_resize_policies(const core::Container& container, const Text& pod_restart_policy, const FieldPath& path,
                           FieldErrors& errors) {
    const List<core::ContainerResizePolicy>& policies = container.resize_policy;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        const core::ContainerResizePolicy& policy = policies[i];
        if (std::any_of(policies.begin(), policies.begin() + i,
                        [&](const auto& earlier) { return earlier.resource_name == policy.resource_name; }))
            errors.add_duplicate(path.index(i), policy.resource_name);
        if (policy.resource_name.empty()) {
            errors.add_required(path, "");
        } else if (!is_one_of(policy.resource_name, {"cpu", "memory"})) {
            errors.add_not_supported(path, policy.resource_name, {"cpu", "memory"});
        }
        if (policy.restart_policy.empty()) {
            errors.add_required(path, "");
        } else if (!is_one_of(policy.restart_policy, {"NotRequired", "RestartContainer"})) {
            errors.add_not_supported(path, policy.restart_policy, {"NotRequired", "RestartContainer"});
        }
        if (pod_restart_policy == "Never" && !(policy.restart_policy == "NotRequired"))
            errors.add_invalid(path, policy.restart_policy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
}

void check_restart_rule(const core::ContainerRestartRule& rule, const FieldPath& path, FieldErrors& errors) {
    if (!(rule.action == "Restart")) errors.add_not_supported(path.child("action"), rule.action, {"Restart"});
    if (!rule.exit_codes) return errors.add_required(path.child("exitCodes"), "must be specified");
    const FieldPath codes = path.child("exitCodes");
    if (!is_one_of(rule.exit_codes->operator_, {"In", "NotIn"}))
        errors.add_not_supported(codes.child("operator"), rule.exit_codes->operator_, {"In", "NotIn"});
    if (rule.exit_codes->values.size() > kRestartExitCodesMax)
        errors.add_too_long(codes.child("values"), kRestartExitCodesMax);
}

void check_restart_policy(const core::Container& container, const FieldPath& path, FieldErrors& errors) {
    const List<core::ContainerRestartRule>& rules = container.restart_policy_rules;
    if (!container.restart_policy) {
        if (rules.empty()) return;
        errors.add_required(path.child("restartPolicy"), "must specify restartPolicy when restart rules are used");
    } else if (!is_one_of(*container.restart_policy, {"Always", "Never", "OnFailure"})) {
        errors.add_not_supported(path.child("restartPolicy"), *container.restart_policy,
                                 {"Always", "Never", "OnFailure"});
    }
    if (rules.size() > kRestartRulesMax) errors.add_too_long(path.child("restartPolicyRules"), kRestartRulesMax);
    for (std::size_t i = 0; i < rules.size(); ++i)
        check_restart_rule(rules[i], path.child("restartPolicyRules").index(i), errors);
}

bool is_sidecar(const core::Container& container) {
    return container.restart_policy && *container.restart_policy == "Always";
}

void check_init_restart_policy(const core::Container& container, const FieldPath& path, FieldErrors& errors) {
    if (is_sidecar(container)) {
        if (!container.restart_policy_rules.empty())
            errors.add_forbidden(path.child("restartPolicyRules"),
                                 "restartPolicyRules are not allowed for init containers with restart policy Always");
    } else if (!container.restart_policy && !container.restart_policy_rules.empty()) {
        errors.add_required(path.child("restartPolicy"), "must specify restartPolicy when restart rules are used");
    } else {
        check_restart_policy(container, path, errors);
    }
}

// What holds for containers of every kind.
void check_container(const core::Container& container, const PodSurroundings& pod, const FieldPath& path,
                     FieldErrors& errors) {
    if (container.name.empty()) {
        errors.add_required(path.child("name"), "");
    } else {
        errors.add_problems(path.child("name"), container.name, is_dns1123_label(container.name));
    }
    if (container.image.empty()) errors.add_required(path.child("image"), "");
    if (container.termination_message_policy.empty()) {
        errors.add_required(path.child("terminationMessagePolicy"), "");
    } else if (!is_one_of(container.termination_message_policy, {"File", "FallbackToLogsOnError"})) {
        errors.add_not_supported(path.child("terminationMessagePolicy"), container.termination_message_policy,
                                 {"File", "FallbackToLogsOnError"});
    }
    check_no_nul(container.command, path.child("command"), errors);
    check_no_nul(container.args, path.child("args"), errors);
    check_no_nul(container.working_dir, path.child("workingDir"), errors);
    check_no_nul(container.termination_message_path, path.child("terminationMessagePath"), errors);
    check_no_nul(container.image, path.child("image"), errors);
    check_ports(container.ports, path.child("ports"), errors);
    check_env(container.env, path.child("env"), errors);
    check_env_from(container.env_from, path.child("envFrom"), errors);
    check_mounts(container, pod, path, errors);
    check_pull_policy(container.image_pull_policy, path.child("imagePullPolicy"), errors);
    check_container_resources(container.resources, pod.spec, path.child("resources"), errors);
    check_resize_policies(container, pod.spec.restart_policy, path.child("resizePolicy"), errors);
    check_security_context(container.security_context, pod.shares_host_users(), path.child("securityContext"), errors);
}

bool is_named(const List<core::Container>& containers, std::size_t count, std::string_view name) {
    return std::any_of(containers.begin(), containers.begin() + count,
                       [&](const core::Container& container) { return container.name == name; });
}

void forbid_probes_and_hooks(const core::Container& container, const FieldPath& path, const char* why,
                             FieldErrors& errors) {
    if (container.lifecycle) errors.add_forbidden(path.child("lifecycle"), why);
    if (container.liveness_probe) errors.add_forbidden(path.child("livenessProbe"), why);
    if (container.readiness_probe) errors.add_forbidden(path.child("readinessProbe"), why);
    if (container.startup_probe) errors.add_forbidden(path.child("startupProbe"), why);
}

// An ephemeral container is for looking, not for serving: nothing may rely on it.
void forbid_serving(const core::Container& container, const FieldPath& path, FieldErrors& errors) {
    if (!container.ports.is_null()) errors.add_forbidden(path.child("ports"), kNotEphemeral);
    if (!(container.resources == core::ResourceRequirements{}))
        errors.add_forbidden(path.child("resources"), kNotEphemeral);
    if (!container.resize_policy.is_null()) errors.add_forbidden(path.child("resizePolicy"), kNotEphemeral);
    if (container.restart_policy) errors.add_forbidden(path.child("restartPolicy"), kNotEphemeral);
    if (!container.restart_policy_rules.is_null())
        errors.add_forbidden(path.child("restartPolicyRules"), kNotEphemeral);
    forbid_probes_and_hooks(container, path, kNotEphemeral, errors);
    for (std::size_t i = 0; i < container.volume_mounts.size(); ++i) {
        const FieldPath mount = path.child("volumeMounts").index(i);
        if (!container.volume_mounts[i].sub_path.empty()) errors.add_forbidden(mount.child("subPath"), kNotEphemeral);
        if (!container.volume_mounts[i].sub_path_expr.empty())
            errors.add_forbidden(mount.child("subPathExpr"), kNotEphemeral);
    }
}

}  // namespace

void check_pull_policy(const Text& policy, const FieldPath& path, FieldErrors& errors) {
    if (policy.empty()) {
        errors.add_required(path, "");
    } else if (!is_one_of(policy, {"Always", "IfNotPresent", "Never"})) {
        errors.add_not_supported(path, policy, {"Always", "IfNotPresent", "Never"});
    }
}

void check_image_spelling(const core::Container& container, const FieldPath& path, FieldErrors& errors) {
    const std::string_view image = container.image;
    constexpr std::string_view kSpace = " \t\n\v\f\r";
    if (image.empty()) return;
    if (kSpace.find(image.front()) != std::string_view::npos || kSpace.find(image.back()) != std::string_view::npos)
        errors.add_invalid(path.child("image"), image, "must not have leading or trailing whitespace");
}

void check_containers(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors) {
    const List<core::Container>& containers = pod.spec.containers;
    const FieldPath path = spec_path.child("containers");
    if (containers.empty()) return errors.add_required(path, "");
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const FieldPath at = path.index(i);
        check_container(containers[i], pod, at, errors);
        if (is_named(containers, i, containers[i].name)) errors.add_duplicate(at.child("name"), containers[i].name);
        check_probes_and_hooks(containers[i], pod.spec, at, errors);
        check_restart_policy(containers[i], at, errors);
    }
    check_host_ports(containers.begin(), containers.size(), path, errors);
}

void check_init_containers(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors) {
    const List<core::Container>& containers = pod.spec.init_containers;
    const FieldPath path = spec_path.child("initContainers");
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const core::Container& container = containers[i];
        const FieldPath at = path.index(i);
        check_container(container, pod, at, errors);
        check_init_restart_policy(container, at, errors);
        if (!container.name.empty() && (is_named(pod.spec.containers, pod.spec.containers.size(), container.name) ||
                                        is_named(containers, i, container.name)))
            errors.add_duplicate(at.child("name"), container.name);
        // Init containers run one after another: only their own ports can be in each other's way.
        check_host_ports(&container, 1, path, errors);
        if (is_sidecar(container)) {
            check_probes_and_hooks(container, pod.spec, at, errors);
        } else {
            forbid_probes_and_hooks(container, at, kOnlySidecars, errors);
        }
    }
}

void check_ephemeral_containers(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors) {
    const List<core::EphemeralContainer>& containers = pod.spec.ephemeral_containers;
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const core::Container& container = containers[i].container;
        const FieldPath at = spec_path.child("ephemeralContainers").index(i);
        const auto is_other = [&](std::string_view name) {
            return is_named(pod.spec.containers, pod.spec.containers.size(), name) ||
                   is_named(pod.spec.init_containers, pod.spec.init_containers.size(), name);
        };
        check_container(container, pod, at, errors);
        check_image_spelling(container, at, errors);
        if (is_other(container.name) || std::any_of(containers.begin(), containers.begin() + i, [&](const auto& one) {
                return one.container.name == container.name;
            }))
            errors.add_duplicate(at.child("name"), container.name);
        const Text& target = containers[i].target_container_name;
        if (!target.empty() && !is_other(target)) errors.add_not_found(at.child("targetContainerName"), target);
        forbid_serving(container, at, errors);
    }
}

}  // namespace muster::api
