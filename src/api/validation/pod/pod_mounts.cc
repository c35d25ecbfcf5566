// Rules of mounts and devices: each names a volume of the pod, at a place of its own.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

void check_propagation(const core::VolumeMount& mount, const core::Container& container, const FieldPath& path,
                       FieldErrors& errors) {
    if (!mount.mount_propagation) return;
    const Text& mode = *mount.mount_propagation;
    if (!is_one_of(mode, {"Bidirectional", "HostToContainer", "None"}))
        errors.add_not_supported(path, mode, {"Bidirectional", "HostToContainer", "None"});
    const bool privileged = container.security_context && container.security_context->privileged.value_or(false);
    if (mode == "Bidirectional" && !privileged)
        errors.add_forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
}

void check_recursive_read_only(const core::VolumeMount& mount, const FieldPath& path, FieldErrors& errors) {
    if (!mount.recursive_read_only || *mount.recursive_read_only == "Disabled") return;
    if (!is_one_of(*mount.recursive_read_only, {"Enabled", "IfPossible"})) {
        errors.add_not_supported(path, *mount.recursive_read_only, {"Disabled", "Enabled", "IfPossible"});
        return;
    }
    if (!mount.read_only) errors.add_forbidden(path, "may only be specified when readOnly is true");
    if (mount.mount_propagation && !(*mount.mount_propagation == "None"))
        errors.add_forbidden(path, "may only be specified when mountPropagation is None or not specified");
}

void check_sub_paths(const core::VolumeMount& mount, const FieldPath& path, const FieldPath& at, FieldErrors& errors) {
    if (!mount.sub_path.empty()) check_descending_path(mount.sub_path, path.child("subPath"), errors);
    if (mount.sub_path_expr.empty()) return;
    if (!mount.sub_path.empty())
        errors.add_invalid(at.child("subPathExpr"), mount.sub_path_expr,
                           "subPathExpr and subPath are mutually exclusive");
    check_descending_path(mount.sub_path_expr, path.child("subPathExpr"), errors);
}

void check_mount(const core::Container& container, std::size_t index, const PodSurroundings& pod, const FieldPath& path,
                 FieldErrors& errors) {
    const core::VolumeMount& mount = container.volume_mounts[index];
    const FieldPath at = path.index(index);
    if (mount.name.empty()) errors.add_required(at.child("name"), "");
    if (!pod.volume(mount.name)) errors.add_not_found(at.child("name"), mount.name);
    if (mount.mount_path.empty()) errors.add_required(at.child("mountPath"), "");
    check_no_nul(mount.mount_path, at.child("mountPath"), errors);
    const core::VolumeMount* earlier = container.volume_mounts.begin();
    if (std::any_of(earlier, earlier + index, [&](const auto& one) { return one.mount_path == mount.mount_path; }))
        errors.add_invalid(at.child("mountPath"), mount.mount_path, "must be unique");
    const List<core::VolumeDevice>& devices = container.volume_devices;
    if (std::any_of(devices.begin(), devices.end(), [&](const auto& device) { return device.name == mount.name; }))
        errors.add_invalid(at.child("name"), mount.name, "must not already exist in volumeDevices");
    if (std::any_of(devices.begin(), devices.end(),
                    [&](const auto& device) { return device.device_path == mount.mount_path; }))
        errors.add_invalid(at.child("mountPath"), mount.mount_path,
                           "must not already exist as a path in volumeDevices");
    check_sub_paths(mount, path, at, errors);
    check_propagation(mount, container, path.child("mountPropagation"), errors);
    check_recursive_read_only(mount, path.child("recursiveReadOnly"), errors);
}

void check_device(const core::Container& container, std::size_t index, const PodSurroundings& pod,
                  const FieldPath& path, FieldErrors& errors) {
    const core::VolumeDevice& device = container.volume_devices[index];
    const FieldPath at = path.index(index);
    const core::VolumeDevice* earlier = container.volume_devices.begin();
    if (device.name.empty()) errors.add_required(at.child("name"), "");
    if (!device.name.empty() &&
        std::any_of(earlier, earlier + index, [&](const auto& one) { return one.name == device.name; }))
        errors.add_invalid(at.child("name"), device.name, "must be unique");
    const core::Volume* volume = pod.volume(device.name);
    if (!volume) {
        errors.add_not_found(at.child("name"), device.name);
    } else if (!volume->source.persistent_volume_claim && !volume->source.ephemeral) {
        errors.add_invalid(at.child("name"), device.name,
                           "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (device.device_path.empty()) errors.add_required(at.child("devicePath"), "");
    if (std::any_of(earlier, earlier + index, [&](const auto& one) { return one.device_path == device.device_path; }))
        errors.add_invalid(at.child("devicePath"), device.device_path, "must be unique");
    if (has_backsteps(device.device_path))
        errors.add_invalid(at.child("devicePath"), device.device_path, "can not contain backsteps ('..')");
    const List<core::VolumeMount>& mounts = container.volume_mounts;
    if (std::any_of(mounts.begin(), mounts.end(), [&](const auto& mount) { return mount.name == device.name; }))
        errors.add_invalid(at.child("name"), device.name, "must not already exist in volumeMounts");
    if (std::any_of(mounts.begin(), mounts.end(),
                    [&](const auto& mount) { return mount.mount_path == device.device_path; }))
        errors.add_invalid(at.child("devicePath"), device.device_path,
                           "must not already exist as a path in volumeMounts");
}

}  // namespace

void check_mounts(const core::Container& container, const PodSurroundings& pod, const FieldPath& container_path,
                  FieldErrors& errors) {
    for (std::size_t i = 0; i < container.volume_mounts.size(); ++i)
        check_mount(container, i, pod, container_path.child("volumeMounts"), errors);
    for (std::size_t i = 0; i < container.volume_devices.size(); ++i)
        check_device(container, i, pod, container_path.child("volumeDevices"), errors);
}

}  // namespace muster::api
