// The checks of the level restricted: a pod gives up every right that it does not need.
#include <algorithm>

#include "api/security/checks.h"

namespace muster::api::security {
namespace {

using core::Container;
using core::PodSpec;
using core::SecurityContext;
using core::VolumeSource;
using meta::ObjectMeta;

bool is_allowed_volume(const VolumeSource& source) {
    return source.config_map || source.csi || source.downward_api || source.empty_dir || source.ephemeral ||
           source.image || source.persistent_volume_claim || source.projected || source.secret;
}

// The field that is set; of several, Kubernetes' first.
std::string_view volume_type(const VolumeSource& source) {
    if (source.host_path) return "hostPath";
    if (source.gce_persistent_disk) return "gcePersistentDisk";
    if (source.aws_elastic_block_store) return "awsElasticBlockStore";
    if (source.git_repo) return "gitRepo";
    if (source.nfs) return "nfs";
    if (source.iscsi) return "iscsi";
    if (source.glusterfs) return "glusterfs";
    if (source.rbd) return "rbd";
    if (source.flex_volume) return "flexVolume";
    if (source.cinder) return "cinder";
    if (source.cephfs) return "cephfs";
    if (source.flocker) return "flocker";
    if (source.fc) return "fc";
    if (source.azure_file) return "azureFile";
    if (source.vsphere_volume) return "vsphereVolume";
    if (source.quobyte) return "quobyte";
    if (source.azure_disk) return "azureDisk";
    if (source.photon_persistent_disk) return "photonPersistentDisk";
    if (source.portworx_volume) return "portworxVolume";
    if (source.scale_io) return "scaleIO";
    if (source.storageos) return "storageos";
    return "unknown";
}

bool has_name(const List<Text>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](const Text& one) { return one == name; });
}

}  // namespace

Finding privilege_escalation(const ObjectMeta&, const PodSpec& spec) {
    Names containers;
    visit_containers(spec, [&](const Container& container) {
        if (!container.security_context || container.security_context->allow_privilege_escalation.value_or(true))
            containers.push_back(container.name.view());
    });
    if (containers.empty()) return std::nullopt;
    return SecurityFinding{"allowPrivilegeEscalation != false",
                           containers_named(containers) + " must set securityContext.allowPrivilegeEscalation=false"};
}

Finding dropped_capabilities(const ObjectMeta&, const PodSpec& spec) {
    Names keeping;
    Names adding;
    NameSet added;
    visit_containers(spec, [&](const Container& container) {
        const std::string_view name = container.name;
        if (!container.security_context || !container.security_context->capabilities) return keeping.push_back(name);
        const core::Capabilities& capabilities = *container.security_context->capabilities;
        if (!has_name(capabilities.drop, "ALL")) keeping.push_back(name);
        bool adds = false;
        for (const Text& capability : capabilities.add) {
            if (capability == "NET_BIND_SERVICE") continue;
            adds = true;
            added.insert(capability.view());
        }
        if (adds) adding.push_back(name);
    });
    std::string detail;
    if (!keeping.empty()) detail = containers_named(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]";
    if (!adding.empty())
        detail.append(detail.empty() ? "" : "; ")
            .append(containers_named(adding) + " must not include " + join_quoted(added) +
                    " in securityContext.capabilities.add");
    if (detail.empty()) return std::nullopt;
    return SecurityFinding{"unrestricted capabilities", detail};
}

Finding restricted_volumes(const ObjectMeta&, const PodSpec& spec) {
    Names volumes;
    NameSet types;
    for (const core::Volume& volume : spec.volumes) {
        if (is_allowed_volume(volume.source)) continue;
        volumes.push_back(volume.name.view());
        types.insert(volume_type(volume.source));
    }
    if (volumes.empty()) return std::nullopt;
    return SecurityFinding{"restricted volume types",
                           std::string(plural("volume", "volumes", volumes.size())) + " " + join_quoted(volumes) + " " +
                               plural("uses", "use", volumes.size()) + " " +
                               plural("restricted volume type", "restricted volume types", types.size()) + " " +
                               join_quoted(types)};
}

Finding run_as_non_root(const ObjectMeta&, const PodSpec& spec) {
    constexpr const char* kReason = "runAsNonRoot != true";
    const bool pod_refuses = spec.security_context && !spec.security_context->run_as_non_root.value_or(true);
    const bool pod_demands = spec.security_context && spec.security_context->run_as_non_root.value_or(false);
    Names refusing;
    Names silent;
    visit_containers(spec, [&](const Container& container) {
        const auto& context = container.security_context;
        if (context && context->run_as_non_root) {
            if (!*context->run_as_non_root) refusing.push_back(container.name.view());
        } else if (!pod_demands) {
            silent.push_back(container.name.view());
        }
    });
    if (pod_refuses || !refusing.empty())
        return SecurityFinding{kReason,
                               setters(pod_refuses, refusing) + " must not set securityContext.runAsNonRoot=false"};
    if (silent.empty()) return std::nullopt;
    return SecurityFinding{kReason,
                           "pod or " + containers_named(silent) + " must set securityContext.runAsNonRoot=true"};
}

Finding run_as_user(const ObjectMeta&, const PodSpec& spec) {
    const bool pod = spec.security_context && spec.security_context->run_as_user == 0;
    Names containers;
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (context.run_as_user == 0) containers.push_back(name);
    });
    if (!pod && containers.empty()) return std::nullopt;
    return SecurityFinding{"runAsUser=0", setters(pod, containers) + " must not set runAsUser=0"};
}

Finding required_seccomp_profile(const ObjectMeta& metadata, const PodSpec& spec) {
    if (Finding wrong = seccomp_profile(metadata, spec)) return wrong;
    if (spec.security_context && spec.security_context->seccomp_profile) return std::nullopt;
    Names silent;
    visit_containers(spec, [&](const Container& container) {
        if (!container.security_context || !container.security_context->seccomp_profile)
            silent.push_back(container.name.view());
    });
    if (silent.empty()) return std::nullopt;
    return SecurityFinding{"seccompProfile", "pod or " + containers_named(silent) +
                                                 " must set securityContext.seccompProfile.type to \"RuntimeDefault\" "
                                                 "or \"Localhost\""};
}

}  // namespace muster::api::security
