#include "api/validation/pod/pod.h"

#include <limits>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

void check_name(std::string_view name, NameRule rule, const FieldPath& path, FieldErrors& errors) {
    if (!name.empty()) errors.add_problems(path, name, rule(name));
}

void check_restart_policy(const Text& policy, const FieldPath& path, FieldErrors& errors) {
    if (policy.empty()) {
        errors.add_required(path, "");
    } else if (!is_one_of(policy, {"Always", "OnFailure", "Never"})) {
        errors.add_not_supported(path, policy, {"Always", "OnFailure", "Never"});
    }
}

void check_preemption_policy(const std::optional<Text>& policy, const FieldPath& path, FieldErrors& errors) {
    if (!policy) return;
    if (policy->empty()) {
        errors.add_required(path, "");
    } else if (!is_one_of(*policy, {"PreemptLowerPriority", "Never"})) {
        errors.add_not_supported(path, *policy, {"PreemptLowerPriority", "Never"});
    }
}

void check_active_deadline(const std::optional<std::int64_t>& seconds, const FieldPath& path, FieldErrors& errors) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    if (seconds && (*seconds < 1 || *seconds > kMax)) errors.add_invalid(path, *seconds, range_sentence(1, kMax));
}

// Our own field. Pods of a template go with their owner, and pods that always restart never finish.
void check_ttl(const PodSurroundings& pod, const FieldPath& path, FieldErrors& errors) {
    if (!pod.spec.ttl_seconds_after_finished) return;
    if (!pod.is_pod) return errors.add_forbidden(path, "may not be set in a pod template");
    check_non_negative(path, *pod.spec.ttl_seconds_after_finished, errors);
    if (pod.spec.restart_policy == "Always")
        errors.add_forbidden(path, "may not be set when `restartPolicy` is Always");
}

void check_placement(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (spec.affinity) check_affinity(*spec.affinity, path.child("affinity"), errors);
    check_dns(spec, path, errors);
    for (std::size_t i = 0; i < spec.readiness_gates.size(); ++i) {
        const Text& type = spec.readiness_gates[i].condition_type;
        errors.add_problems(path.child("readinessGates").index(i).child("conditionType"), type,
                            is_qualified_name(type));
    }
    check_scheduling_gates(spec.scheduling_gates, path.child("schedulingGates"), errors);
    check_topology_spread(spec.topology_spread_constraints, path.child("topologySpreadConstraints"), errors);
}

void check_names_and_numbers(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    check_name(spec.service_account_name, is_dns1123_subdomain, path.child("serviceAccountName"), errors);
    check_name(spec.node_name, is_dns1123_subdomain, path.child("nodeName"), errors);
    check_active_deadline(spec.active_deadline_seconds, path.child("activeDeadlineSeconds"), errors);
    check_name(spec.hostname, is_dns1123_label, path.child("hostname"), errors);
    check_name(spec.subdomain, is_dns1123_label, path.child("subdomain"), errors);
    check_tolerations(spec.tolerations, path.child("tolerations"), errors);
    check_host_aliases(spec.host_aliases, path.child("hostAliases"), errors);
    check_name(spec.priority_class_name, is_dns1123_subdomain, path.child("priorityClassName"), errors);
    if (spec.runtime_class_name)
        errors.add_problems(path.child("runtimeClassName"), *spec.runtime_class_name,
                            is_dns1123_subdomain(*spec.runtime_class_name));
    check_preemption_policy(spec.preemption_policy, path.child("preemptionPolicy"), errors);
    if (!spec.overhead.empty())
        check_container_resources(core::ResourceRequirements{.limits = spec.overhead, .requests = {}, .claims = {}},
                                  spec, path.child("overhead"), errors);
}

void check_spec(PodSurroundings& pod, const FieldPath& path, FieldErrors& errors) {
    const core::PodSpec& spec = pod.spec;
    if (!spec.termination_grace_period_seconds) errors.add_required(path.child("terminationGracePeriodSeconds"), "");
    check_volumes(pod, path.child("volumes"), errors);
    check_resource_claims(pod, path.child("resourceClaims"), errors);
    check_containers(pod, path, errors);
    check_init_containers(pod, path, errors);
    check_ephemeral_containers(pod, path, errors);
    check_pod_resources(spec, path, errors);
    check_host_network_ports(pod, path, errors);
    check_restart_policy(spec.restart_policy, path.child("restartPolicy"), errors);
    check_dns_policy(spec.dns_policy, path.child("dnsPolicy"), errors);
    check_labels(spec.node_selector, path.child("nodeSelector"), errors);
    check_pod_security_context(spec, path, errors);
    check_placement(spec, path, errors);
    check_windows_host_process(spec, path, errors);
    check_host_users(spec, path, errors);
    check_host_name(spec, path, errors);
    check_names_and_numbers(spec, path, errors);
    check_os(spec, path, errors);
    check_env_files(spec, path, errors);
    check_ttl(pod, path.child("ttlSecondsAfterFinished"), errors);
}

// A token needs a service account.
void check_tokens_have_account(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    if (!spec.service_account_name.empty()) return;
    for (std::size_t v = 0; v < spec.volumes.size(); ++v) {
        const Box<core::ProjectedVolumeSource>& projected = spec.volumes[v].source.projected;
        for (std::size_t s = 0; projected && s < projected->sources.size(); ++s) {
            if (!projected->sources[s].service_account_token) continue;
            errors.add_forbidden(
                path.child("volumes").index(v).child("projected", "sources").index(s).child("serviceAccountToken"),
                "must not be specified when serviceAccountName is not set");
        }
    }
}

}  // namespace

void check_pod_metadata_and_spec(const core::Pod& pod, FieldErrors& errors) {
    const FieldPath metadata("metadata");
    const FieldPath spec("spec");
    check_metadata(pod.metadata, true, is_dns1123_subdomain, metadata, errors);
    check_pod_annotations(pod.metadata.annotations, pod.spec, metadata.child("annotations"), errors);
    PodSurroundings surroundings{pod.spec, &pod.metadata, true, {}};
    check_spec(surroundings, spec, errors);
    check_tokens_have_account(pod.spec, spec, errors);
    for (std::size_t i = 0; i < pod.spec.containers.size(); ++i)
        check_image_spelling(pod.spec.containers[i], spec.child("containers").index(i), errors);
    for (std::size_t i = 0; i < pod.spec.init_containers.size(); ++i)
        check_image_spelling(pod.spec.init_containers[i], spec.child("initContainers").index(i), errors);
}

FieldErrors validate_pod_create(const core::Pod& pod) {
    FieldErrors errors;
    check_pod_metadata_and_spec(pod, errors);
    const FieldPath spec("spec");
    if (!pod.spec.ephemeral_containers.empty())
        errors.add_forbidden(spec.child("ephemeralContainers"), "cannot be set on create");
    if (!pod.spec.node_name.empty() && !pod.spec.scheduling_gates.empty())
        errors.add_forbidden(spec.child("nodeName"), "cannot be set until all schedulingGates have been cleared");
    check_profile_annotations_match(pod.metadata.annotations, pod.spec, spec, errors);
    return errors;
}

FieldErrors validate_pod_template(const core::PodTemplateSpec& pod_template, const FieldPath& path) {
    FieldErrors errors;
    const meta::ObjectMeta& metadata = pod_template.metadata;
    // Kubernetes leaves `metadata` out of these two paths.
    check_labels(metadata.labels, path.child("labels"), errors);
    check_annotations(metadata.annotations, path.child("annotations"), errors);
    check_pod_annotations(metadata.annotations, pod_template.spec, path.child("annotations"), errors);
    PodSurroundings surroundings{pod_template.spec, nullptr, false, {}};
    check_spec(surroundings, path.child("spec"), errors);
    check_profile_annotations_match(metadata.annotations, pod_template.spec, path.child("spec"), errors);
    if (!pod_template.spec.ephemeral_containers.empty())
        errors.add_forbidden(path.child("spec", "ephemeralContainers"),
                             "ephemeral containers not allowed in pod template");
    return errors;
}

FieldErrors validate_binding(const core::Binding& binding) {
    FieldErrors errors;
    const FieldPath target("target");
    if (!binding.target.kind.empty() && !(binding.target.kind == "Node"))
        errors.add_not_supported(target.child("kind"), binding.target.kind, {"Node", "<empty>"});
    if (binding.target.name.empty()) errors.add_required(target.child("name"), "");
    return errors;
}

}  // namespace muster::api
