// Rules of volumes: one source each, and what that source must say.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"
#include "api/value/quote.h"

namespace muster::api {

// What single sources must be like. With those of the vendors they are one overload set.
static void check_source(const core::EmptyDirVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.size_limit && source.size_limit->sign() < 0)
        errors.add_forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
}

static void check_source(const core::HostPathVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.path.empty()) {
        errors.add_required(path.child("path"), "");
        return;
    }
    check_no_backsteps(source.path, path.child("path"), errors);
    constexpr std::string_view kTypes[] = {"",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
                                           "File", "FileOrCreate", "Socket"};
    if (source.type && std::find(std::begin(kTypes), std::end(kTypes), source.type->view()) == std::end(kTypes))
        errors.add_not_supported(path.child("type"), *source.type, kTypes);
}

static void check_source(const core::GitRepoVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.repository.empty()) errors.add_required(path.child("repository"), "");
    check_descending_path(source.directory, path.child("directory"), errors);
}

static void check_source(const core::SecretVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.secret_name.empty()) errors.add_required(path.child("secretName"), "");
    check_file_mode(source.default_mode, path.child("defaultMode"), errors);
    for (std::size_t i = 0; i < source.items.size(); ++i)
        check_key_to_path(source.items[i], path.child("items").index(i), errors);
}

static void check_source(const core::ConfigMapVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.reference.name.empty()) errors.add_required(path.child("name"), "");
    check_file_mode(source.default_mode, path.child("defaultMode"), errors);
    for (std::size_t i = 0; i < source.items.size(); ++i)
        check_key_to_path(source.items[i], path.child("items").index(i), errors);
}

static void check_source(const core::DownwardAPIVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    check_file_mode(source.default_mode, path.child("defaultMode"), errors);
    for (const core::DownwardAPIVolumeFile& file : source.items) check_downward_file(file, path, errors);
}

static void check_source(const core::ProjectedVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    check_projected(source, path, errors);
}

static void check_source(const core::NFSVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.server.empty()) errors.add_required(path.child("server"), "");
    if (source.path.empty()) errors.add_required(path.child("path"), "");
    if (!source.path.view().starts_with('/'))
        errors.add_invalid(path.child("path"), source.path, "must be an absolute path");
}

static bool all_letters_or_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c); });
}

static bool all_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// iqn.2001-04.com.example:disk1: a year and month, a name, and a colon with what follows it.
static bool is_iqn(std::string_view name) {
    if (!name.starts_with("iqn.") || name.size() < 12) return false;
    if (!all_digits(name.substr(4, 4)) || name[8] != '-' || !all_digits(name.substr(9, 2)) || name[11] != '.')
        return false;
    const std::size_t colon = name.find(':', 12);
    if (colon == std::string_view::npos || colon == 12 || colon + 1 == name.size()) return false;
    const std::string_view authority = name.substr(12, colon - 12);
    const bool named = std::all_of(authority.begin(), authority.end(),
                                   [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; });
    return named && name.find_first_of(",;*&$| \t\n\f\r", colon + 1) == std::string_view::npos;
}

static void check_iscsi_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    const std::string_view kind = name.substr(0, 3);
    if (!is_one_of(kind, {"iqn", "eui", "naa"})) {
        errors.add_invalid(path, name, "must be valid format starting with iqn, eui, or naa");
        return;
    }
    const std::string_view number = name.substr(std::min<std::size_t>(name.size(), 4));
    const bool fine =
        kind == "iqn" ? is_iqn(name) : number.size() == (kind == "eui" ? 16u : 32u) && all_letters_or_digits(number);
    if (!fine) errors.add_invalid(path, name, "must be valid format");
}

static void check_source(const core::ISCSIVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.target_portal.empty()) errors.add_required(path.child("targetPortal"), "");
    if (source.iqn.empty()) {
        errors.add_required(path.child("iqn"), "");
    } else {
        check_iscsi_name(source.iqn, path.child("iqn"), errors);
    }
    if (source.lun < 0 || source.lun > 255) errors.add_invalid(path.child("lun"), source.lun, range_sentence(0, 255));
    if ((source.chap_auth_discovery || source.chap_auth_session) && !source.secret_ref)
        errors.add_required(path.child("secretRef"), "");
    if (source.initiator_name) check_iscsi_name(*source.initiator_name, path.child("initiatorname"), errors);
}

static void check_source(const core::FCVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (source.target_wwns.empty() && source.wwids.empty())
        errors.add_required(path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both");
    if (source.target_wwns.empty()) return;
    if (!source.wwids.empty())
        errors.add_invalid(path.child("targetWWNs"), shown_json(source.target_wwns),
                           "targetWWNs and wwids can not be specified simultaneously");
    if (!source.lun) {
        errors.add_required(path.child("lun"), "lun is required if targetWWNs is specified");
    } else if (*source.lun < 0 || *source.lun > 255) {
        errors.add_invalid(path.child("lun"), *source.lun, range_sentence(0, 255));
    }
}

static void check_source(const core::PersistentVolumeClaimVolumeSource& source, const FieldPath& path,
                         FieldErrors& errors) {
    if (source.claim_name.empty()) errors.add_required(path.child("claimName"), "");
}

static void check_source(const core::CSIVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    const FieldPath driver = path.child("driver");
    if (source.driver.empty()) {
        errors.add_required(driver, "");
    } else {
        if (source.driver.size() > 63) errors.add_too_long(driver, 63);
        std::string lower = source.driver.str();
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
        errors.add_problems(driver, source.driver, is_dns1123_subdomain(lower));
    }
    if (!source.node_publish_secret_ref) return;
    const Text& secret = source.node_publish_secret_ref->name;
    if (secret.empty()) {
        errors.add_required(path.child("nodePublishSecretRef", "name"), "");
    } else {
        errors.add_problems(path.child("name"), secret, is_dns1123_subdomain(secret));
    }
}

static void check_source(const core::EphemeralVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    if (!source.volume_claim_template) {
        errors.add_required(path.child("volumeClaimTemplate"), "");
    } else {
        check_claim_template(*source.volume_claim_template, path.child("volumeClaimTemplate"), errors);
    }
}

namespace {

// Checks the one source of a volume. Any other that is set beside it is refused by name.
class OneSource {
public:
    OneSource(const FieldPath& path, FieldErrors& errors) : path_(path), errors_(errors) {}

    // `complained` is the name under which Kubernetes refuses a second source, where that is not the field's own.
    template <class T>
    bool check(const Box<T>& source, const char* name, const char* complained = nullptr, const char* inside = nullptr) {
        if (!admit(static_cast<bool>(source), complained ? complained : name)) return false;
        check_source(*source, path_.child(inside ? inside : name), errors_);
        return true;
    }
    bool admit(bool present, const char* name) {
        if (!present) return false;
        if (found_) errors_.add_forbidden(path_.child(name), "may not specify more than 1 volume type");
        return !std::exchange(found_, true);
    }
    bool found() const { return found_; }

private:
    const FieldPath& path_;
    FieldErrors& errors_;
    bool found_ = false;
};

void check_iscsi_length(const core::Volume& volume, const FieldPath& path, FieldErrors& errors) {
    const Box<core::ISCSIVolumeSource>& iscsi = volume.source.iscsi;
    if (iscsi && iscsi->initiator_name && volume.name.size() + 1 + iscsi->target_portal.size() > 64)
        errors.add_invalid(path.child("name"), volume.name,
                           "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                           "iscsi.initiatorName is specified.");
}

// The claim is named after the pod and the volume, and that must be a name.
void check_ephemeral_claim_name(const core::Volume& volume, const meta::ObjectMeta* metadata, const FieldPath& path,
                                FieldErrors& errors) {
    if (!metadata || metadata->name.empty() || volume.name.empty()) return;
    const std::string claim = metadata->name.str() + "-" + volume.name.str();
    for (const std::string& problem : is_dns1123_subdomain(claim))
        errors.add_invalid(path.child("name"), volume.name, "PVC name " + in_quotes(claim) + ": " + problem);
}

void check_image(const core::ImageVolumeSource& image, bool is_pod, const FieldPath& path, FieldErrors& errors) {
    if (is_pod && image.reference.empty()) errors.add_required(path.child("reference"), "");
    check_pull_policy(image.pull_policy, path.child("pullPolicy"), errors);
}

void check_volume_source(const core::Volume& volume, const PodSurroundings& pod, const FieldPath& path,
                         FieldErrors& errors) {
    const core::VolumeSource& source = volume.source;
    OneSource one(path, errors);
    one.check(source.empty_dir, "emptyDir");
    one.check(source.host_path, "hostPath");
    one.check(source.git_repo, "gitRepo");
    one.check(source.gce_persistent_disk, "gcePersistentDisk", nullptr, "persistentDisk");
    one.check(source.aws_elastic_block_store, "awsElasticBlockStore");
    one.check(source.secret, "secret");
    one.check(source.nfs, "nfs");
    one.check(source.iscsi, "iscsi");
    check_iscsi_length(volume, path, errors);
    one.check(source.glusterfs, "glusterfs");
    one.check(source.flocker, "flocker");
    one.check(source.persistent_volume_claim, "persistentVolumeClaim");
    one.check(source.rbd, "rbd");
    one.check(source.cinder, "cinder");
    one.check(source.cephfs, "cephfs", "cephFS");
    one.check(source.quobyte, "quobyte");
    one.check(source.downward_api, "downwardAPI", "downwarAPI");
    one.check(source.fc, "fc");
    one.check(source.flex_volume, "flexVolume");
    one.check(source.config_map, "configMap");
    one.check(source.azure_file, "azureFile");
    one.check(source.vsphere_volume, "vsphereVolume");
    one.check(source.photon_persistent_disk, "photonPersistentDisk");
    one.check(source.portworx_volume, "portworxVolume");
    one.check(source.azure_disk, "azureDisk");
    one.check(source.storageos, "storageos");
    one.check(source.projected, "projected");
    one.check(source.scale_io, "scaleIO");
    one.check(source.csi, "csi");
    if (one.check(source.ephemeral, "ephemeral")) check_ephemeral_claim_name(volume, pod.metadata, path, errors);
    if (one.admit(static_cast<bool>(source.image), "image"))
        check_image(*source.image, pod.is_pod, path.child("image"), errors);
    if (!one.found()) errors.add_required(path, "must specify a volume type");
}

// A claim that the pod brings along cannot be mounted as if it were there before.
void check_claim_not_own(const core::Volume& volume, const PodSurroundings& pod, const FieldPath& path,
                         FieldErrors& errors) {
    if (!volume.source.persistent_volume_claim || !pod.metadata || pod.metadata->name.empty()) return;
    const Text& claim = volume.source.persistent_volume_claim->claim_name;
    for (const core::Volume& other : pod.spec.volumes) {
        if (other.source.ephemeral && claim == pod.metadata->name.str() + "-" + other.name.str()) {
            errors.add_invalid(path.child("persistentVolumeClaim", "claimName"), claim,
                               "must not reference a PVC that gets created for an ephemeral volume");
            return;
        }
    }
}

}  // namespace

const core::Volume* PodSurroundings::volume(std::string_view name) const {
    for (const core::Volume* one : volumes)
        if (one->name == name) return one;
    return nullptr;
}

void check_volumes(PodSurroundings& pod, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < pod.spec.volumes.size(); ++i) {
        const core::Volume& volume = pod.spec.volumes[i];
        const FieldPath at = path.index(i);
        const std::size_t faults = errors.size();
        check_volume_source(volume, pod, at, errors);
        if (volume.name.empty()) {
            errors.add_required(at.child("name"), "");
        } else {
            errors.add_problems(at.child("name"), volume.name, is_dns1123_label(volume.name));
        }
        if (pod.volume(volume.name)) errors.add_duplicate(at.child("name"), volume.name);
        if (errors.size() == faults) pod.volumes.push_back(&volume);
        check_claim_not_own(volume, pod, at, errors);
    }
}

}  // namespace muster::api
