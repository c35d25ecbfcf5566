// Rules of volumes that one vendor's storage serves.
#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

void check_set(const Text& value, const FieldPath& path, FieldErrors& errors) {
    if (value.empty()) errors.add_required(path, "");
}

void check_partition(std::int32_t partition, const FieldPath& path, FieldErrors& errors) {
    if (partition < 0 || partition > 255) errors.add_invalid(path, partition, range_sentence(1, 255));
}

void check_secret_named(const Box<core::LocalObjectReference>& secret, const FieldPath& path, FieldErrors& errors) {
    if (secret && secret->name.empty()) errors.add_required(path.child("secretRef", "name"), "");
}

// host:port, [::1]:port. Says only whether it splits; the parts may be anything.
bool is_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view host = text.substr(0, colon);
    if (host.starts_with('[')) return host.ends_with(']') && host.find('[', 1) == std::string_view::npos;
    return host.find_first_of(":[]") == std::string_view::npos;
}

}  // namespace

void check_source(const core::GCEPersistentDiskVolumeSource& disk, const FieldPath& path, FieldErrors& errors) {
    check_set(disk.pd_name, path.child("pdName"), errors);
    check_partition(disk.partition, path.child("partition"), errors);
}

void check_source(const core::AWSElasticBlockStoreVolumeSource& disk, const FieldPath& path, FieldErrors& errors) {
    check_set(disk.volume_id, path.child("volumeID"), errors);
    check_partition(disk.partition, path.child("partition"), errors);
}

void check_source(const core::GlusterfsVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    check_set(source.endpoints, path.child("endpoints"), errors);
    check_set(source.path, path.child("path"), errors);
}

void check_source(const core::FlockerVolumeSource& flocker, const FieldPath& path, FieldErrors& errors) {
    if (flocker.dataset_name.empty() && flocker.dataset_uuid.empty())
        errors.add_required(path, "one of datasetName and datasetUUID is required");
    if (!flocker.dataset_name.empty() && !flocker.dataset_uuid.empty())
        errors.add_invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
    if (flocker.dataset_name.view().find('/') != std::string_view::npos)
        errors.add_invalid(path.child("datasetName"), flocker.dataset_name, "must not contain '/'");
}

void check_source(const core::RBDVolumeSource& rbd, const FieldPath& path, FieldErrors& errors) {
    if (rbd.monitors.empty()) errors.add_required(path.child("monitors"), "");
    check_set(rbd.image, path.child("image"), errors);
}

void check_source(const core::CinderVolumeSource& cinder, const FieldPath& path, FieldErrors& errors) {
    check_set(cinder.volume_id, path.child("volumeID"), errors);
    check_secret_named(cinder.secret_ref, path, errors);
}

void check_source(const core::CephFSVolumeSource& cephfs, const FieldPath& path, FieldErrors& errors) {
    if (cephfs.monitors.empty()) errors.add_required(path.child("monitors"), "");
}

void check_source(const core::QuobyteVolumeSource& quobyte, const FieldPath& path, FieldErrors& errors) {
    constexpr const char* kPairs = "must be a host:port pair or multiple pairs separated by commas";
    if (quobyte.registry.empty()) {
        errors.add_required(path.child("registry"), kPairs);
    } else if (quobyte.tenant.size() >= 65) {
        errors.add_required(path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters");
    } else {
        std::string_view rest = quobyte.registry;
        while (true) {
            const std::size_t comma = rest.find(',');
            if (!is_host_port(rest.substr(0, comma)))
                errors.add_invalid(path.child("registry"), quobyte.registry, kPairs);
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    }
    check_set(quobyte.volume, path.child("volume"), errors);
}

void check_source(const core::FlexVolumeSource& flex, const FieldPath& path, FieldErrors& errors) {
    check_set(flex.driver, path.child("driver"), errors);
    for (const auto& [key, value] : flex.options) {
        std::string domain = ".";
        for (char c : key.view().substr(0, key.view().find('/')))
            domain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io"))
            errors.add_invalid(path.child("options").key(key), key, "kubernetes.io and k8s.io namespaces are reserved");
    }
}

void check_source(const core::AzureFileVolumeSource& azure, const FieldPath& path, FieldErrors& errors) {
    check_set(azure.secret_name, path.child("secretName"), errors);
    check_set(azure.share_name, path.child("shareName"), errors);
}

void check_source(const core::VsphereVirtualDiskVolumeSource& disk, const FieldPath& path, FieldErrors& errors) {
    check_set(disk.volume_path, path.child("volumePath"), errors);
}

void check_source(const core::PhotonPersistentDiskVolumeSource& disk, const FieldPath& path, FieldErrors& errors) {
    check_set(disk.pd_id, path.child("pdID"), errors);
}

void check_source(const core::PortworxVolumeSource& volume, const FieldPath& path, FieldErrors& errors) {
    check_set(volume.volume_id, path.child("volumeID"), errors);
}

void check_source(const core::AzureDiskVolumeSource& azure, const FieldPath& path, FieldErrors& errors) {
    check_set(azure.disk_name, path.child("diskName"), errors);
    check_set(azure.disk_uri, path.child("diskURI"), errors);
    if (azure.caching_mode && !is_one_of(*azure.caching_mode, {"None", "ReadOnly", "ReadWrite"}))
        errors.add_not_supported(path.child("cachingMode"), *azure.caching_mode, {"None", "ReadOnly", "ReadWrite"});
    if (!azure.kind) return;
    if (!is_one_of(*azure.kind, {"Dedicated", "Managed", "Shared"}))
        errors.add_not_supported(path.child("kind"), *azure.kind, {"Dedicated", "Managed", "Shared"});
    const bool managed = *azure.kind == "Managed";
    if (managed && !azure.disk_uri.view().starts_with("/subscriptions/"))
        errors.add_not_supported(path.child("diskURI"), azure.disk_uri,
                                 {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/"
                                  "disks/{disk-id}"});
    if (!managed && !azure.disk_uri.view().starts_with("https://"))
        errors.add_not_supported(path.child("diskURI"), azure.disk_uri,
                                 {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
}

void check_source(const core::StorageOSVolumeSource& storageos, const FieldPath& path, FieldErrors& errors) {
    if (storageos.volume_name.empty()) {
        errors.add_required(path.child("volumeName"), "");
    } else {
        errors.add_problems(path.child("volumeName"), storageos.volume_name, is_dns1123_label(storageos.volume_name));
    }
    if (!storageos.volume_namespace.empty())
        errors.add_problems(path.child("volumeNamespace"), storageos.volume_namespace,
                            is_dns1123_label(storageos.volume_namespace));
    check_secret_named(storageos.secret_ref, path, errors);
}

void check_source(const core::ScaleIOVolumeSource& scale_io, const FieldPath& path, FieldErrors& errors) {
    check_set(scale_io.gateway, path.child("gateway"), errors);
    check_set(scale_io.system, path.child("system"), errors);
    check_set(scale_io.volume_name, path.child("volumeName"), errors);
}

}  // namespace muster::api
