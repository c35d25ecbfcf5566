// The parts of pod validation, one function per idea, in the order in which Kubernetes reports them. Only pod*.cc
// include this; others use pod.h.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// Marks the copy of a pod that a node runs from a file of its own.
inline constexpr const char* kMirrorAnnotation = "kubernetes.io/config.mirror";

// What the rules about one part need to know of the pod around it.
struct PodSurroundings {
    const core::PodSpec& spec;
    const meta::ObjectMeta* metadata;          // null in a template
    bool is_pod;                               // false in a template
    std::vector<const core::Volume*> volumes;  // those without faults: only they can be mounted
    bool shares_host_users() const { return spec.host_users.value_or(true); }
    bool is_windows() const { return spec.os && spec.os->name == "windows"; }
    const core::Volume* volume(std::string_view name) const;
};

inline bool is_one_of(std::string_view value, std::initializer_list<std::string_view> choices) {
    for (std::string_view choice : choices)
        if (value == choice) return true;
    return false;
}

// Calls visit(container, path) for init containers, containers and ephemeral ones, in Kubernetes' order.
template <class Visit>
void for_each_container(const core::PodSpec& spec, const FieldPath& path, Visit visit) {
    for (std::size_t i = 0; i < spec.init_containers.size(); ++i)
        visit(spec.init_containers[i], path.child("initContainers").index(i));
    for (std::size_t i = 0; i < spec.containers.size(); ++i)
        visit(spec.containers[i], path.child("containers").index(i));
    for (std::size_t i = 0; i < spec.ephemeral_containers.size(); ++i)
        visit(spec.ephemeral_containers[i].container, path.child("ephemeralContainers").index(i));
}

// pod_paths.cc: paths inside volumes and containers.
void check_no_nul(std::string_view text, const FieldPath& path, FieldErrors& errors);
void check_no_nul(const List<Text>& words, const FieldPath& path, FieldErrors& errors);
void check_no_backsteps(std::string_view path_text, const FieldPath& path, FieldErrors& errors);
void check_descending_path(std::string_view path_text, const FieldPath& path, FieldErrors& errors);
void check_local_file_path(std::string_view path_text, const FieldPath& path, FieldErrors& errors);
bool has_backsteps(std::string_view path_text);
void check_file_mode(const std::optional<std::int32_t>& mode, const FieldPath& path, FieldErrors& errors);

// pod_volumes.cc, pod_vendor_volumes.cc, pod_projected.cc
void check_volumes(PodSurroundings& pod, const FieldPath& path, FieldErrors& errors);
void check_projected(const core::ProjectedVolumeSource& source, const FieldPath& path, FieldErrors& errors);
void check_key_to_path(const core::KeyToPath& item, const FieldPath& path, FieldErrors& errors);
void check_downward_file(const core::DownwardAPIVolumeFile& file, const FieldPath& path, FieldErrors& errors);
void check_claim_template(const core::PersistentVolumeClaimTemplate& claim, const FieldPath& path, FieldErrors& errors);

// The disks of single vendors.
void check_source(const core::GCEPersistentDiskVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::AWSElasticBlockStoreVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::GlusterfsVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::FlockerVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::RBDVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::CinderVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::CephFSVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::QuobyteVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::FlexVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::AzureFileVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::VsphereVirtualDiskVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::PhotonPersistentDiskVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::PortworxVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::AzureDiskVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::StorageOSVolumeSource&, const FieldPath&, FieldErrors&);
void check_source(const core::ScaleIOVolumeSource&, const FieldPath&, FieldErrors&);

// pod_mounts.cc
void check_mounts(const core::Container& container, const PodSurroundings& pod, const FieldPath& container_path,
                  FieldErrors& errors);

// pod_env.cc
void check_env(const List<core::EnvVar>& env, const FieldPath& path, FieldErrors& errors);
void check_env_from(const List<core::EnvFromSource>& sources, const FieldPath& path, FieldErrors& errors);
void check_field_ref(const core::ObjectFieldSelector& selector, std::span<const std::string_view> allowed,
                     const FieldPath& path, FieldErrors& errors);
void check_resource_field_ref(const core::ResourceFieldSelector& selector, bool in_volume, const FieldPath& path,
                              FieldErrors& errors);
void check_env_files(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors);

// pod_resources.cc
void check_container_resources(const core::ResourceRequirements& resources, const core::PodSpec& spec,
                               const FieldPath& path, FieldErrors& errors);
void check_pod_resources(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);
void check_resource_claims(const PodSurroundings& pod, const FieldPath& path, FieldErrors& errors);
void check_positive_storage(const Quantity& quantity, const FieldPath& path, FieldErrors& errors);

// pod_probes.cc
void check_probes_and_hooks(const core::Container& container, const core::PodSpec& spec, const FieldPath& path,
                            FieldErrors& errors);

// pod_containers.cc
void check_containers(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors);
void check_init_containers(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors);
void check_ephemeral_containers(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors);
void check_pull_policy(const Text& policy, const FieldPath& path, FieldErrors& errors);
void check_image_spelling(const core::Container& container, const FieldPath& path, FieldErrors& errors);

// pod_security.cc, pod_windows.cc
void check_security_context(const Box<core::SecurityContext>& context, bool shares_host_users, const FieldPath& path,
                            FieldErrors& errors);
void check_pod_security_context(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);
void check_host_users(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);
void check_windows_options(const Box<core::WindowsSecurityContextOptions>& options, const FieldPath& path,
                           FieldErrors& errors);
void check_windows_host_process(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);
void check_os(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);

// pod_annotations.cc
void check_pod_annotations(const Map<Text>& annotations, const core::PodSpec& spec, const FieldPath& path,
                           FieldErrors& errors);
void check_pod_annotation_update(const core::Pod& now, const core::Pod& before, const FieldPath& path,
                                 FieldErrors& errors);
void check_profile_annotations_match(const Map<Text>& annotations, const core::PodSpec& spec,
                                     const FieldPath& spec_path, FieldErrors& errors);

// pod_scheduling.cc, pod_affinity.cc
void check_affinity(const core::Affinity& affinity, const FieldPath& path, FieldErrors& errors);
void check_match_label_keys(const List<Text>& match, const List<Text>& mismatch,
                            const Box<meta::LabelSelector>& selector, const FieldPath& path, FieldErrors& errors);
void check_tolerations(const List<core::Toleration>& tolerations, const FieldPath& path, FieldErrors& errors);
void check_topology_spread(const List<core::TopologySpreadConstraint>& constraints, const FieldPath& path,
                           FieldErrors& errors);
void check_scheduling_gates(const List<core::PodSchedulingGate>& gates, const FieldPath& path, FieldErrors& errors);

// pod_network.cc
void check_dns_policy(const Text& policy, const FieldPath& path, FieldErrors& errors);
void check_dns(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);
void check_host_aliases(const List<core::HostAlias>& aliases, const FieldPath& path, FieldErrors& errors);
void check_host_name(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors);
void check_host_network_ports(const PodSurroundings& pod, const FieldPath& spec_path, FieldErrors& errors);

// pod.cc: the rules that hold for a pod after its create too.
void check_pod_metadata_and_spec(const core::Pod& pod, FieldErrors& errors);

}  // namespace muster::api
