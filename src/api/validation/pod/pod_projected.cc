// Rules of projected volumes: keys to paths, downward API, tokens, certificates.
#include <algorithm>
#include <set>

#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

constexpr std::string_view kVolumeFields[] = {"metadata.annotations", "metadata.labels", "metadata.name",
                                              "metadata.namespace", "metadata.uid"};
constexpr std::int64_t kTokenSecondsMin = 10 * 60;
constexpr std::int64_t kTokenSecondsMax = std::int64_t{1} << 32;
constexpr std::int32_t kCertificateSecondsMin = 3600;
constexpr std::int32_t kCertificateSecondsMax = 7862400;          // 91 days
constexpr std::int32_t kKubernetesCertificateSecondsMax = 86400;  // from a signer of kubernetes.io

// The files that a projected volume writes: no two sources may write the same.
struct WrittenFiles {
    const FieldPath& volume;
    std::set<std::string_view> paths;

    void add(std::string_view file, std::string_view shown, FieldErrors& errors) {
        if (!paths.insert(file).second) errors.add_invalid(volume, shown, "conflicting duplicate paths");
    }
};

void check_items(const List<core::KeyToPath>& items, std::string_view source, const FieldPath& path,
                 WrittenFiles& files, FieldErrors& errors) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        check_key_to_path(items[i], path.child("items").index(i), errors);
        if (!items[i].path.empty()) files.add(items[i].path, source, errors);
    }
}

void check_token(const core::ServiceAccountTokenProjection& token, const FieldPath& volume, const FieldPath& path,
                 FieldErrors& errors) {
    const std::int64_t seconds = token.expiration_seconds.value_or(0);
    if (seconds < kTokenSecondsMin)
        errors.add_invalid(path.child("expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
    if (seconds > kTokenSecondsMax)
        errors.add_invalid(path.child("expirationSeconds"), seconds,
                           "may not specify a duration larger than 2^32 seconds");
    if (token.path.empty()) {
        errors.add_required(volume.child("path"), "");
    } else {
        check_local_file_path(token.path, volume.child("path"), errors);
    }
}

// A domain and a path: example.com/my-signer.
void check_signer(std::string_view signer, const FieldPath& path, FieldErrors& errors) {
    if (signer.empty()) {
        errors.add_required(path, "");
        return;
    }
    const std::size_t slash = signer.find('/');
    if (slash == std::string_view::npos || signer.find('/', slash + 1) != std::string_view::npos) {
        errors.add_invalid(path, signer,
                           "must be a fully qualified domain and path of the form 'example.com/signer-name'");
        return;
    }
    const std::string_view domain = signer.substr(0, slash);
    errors.add_problems(path, domain, is_dns1123_subdomain(domain));
    if (domain.find('.') == std::string_view::npos)
        errors.add_invalid(path, domain, "should be a domain with at least two segments separated by dots");
    errors.add_problems(path, signer.substr(slash + 1), is_dns1123_subdomain(signer.substr(slash + 1)));
}

// Bundles of a signer are named example.com:my-signer:rest, all others have no colon.
void check_bundle_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    if (name.empty()) errors.add_required(path, "must be a valid object name");
    const std::size_t last = name.rfind(':');
    const std::string_view own = last == std::string_view::npos ? name : name.substr(last + 1);
    for (const std::string& problem : is_dns1123_subdomain(own))
        errors.add_invalid(path, name, "not a valid clustertrustbundlename: " + problem);
}

void check_bundle(const core::ClusterTrustBundleProjection& bundle, const FieldPath& path, WrittenFiles& files,
                  FieldErrors& errors) {
    if (bundle.name && bundle.signer_name) {
        errors.add_invalid(path, shown_json(bundle), "only one of name and signerName may be used");
    } else if (bundle.name) {
        check_bundle_name(*bundle.name, path.child("name"), errors);
        if (bundle.label_selector)
            errors.add_invalid(path.child("labelSelector"), shown_json(*bundle.label_selector),
                               "labelSelector must be unset if name is specified");
    } else if (bundle.signer_name) {
        check_signer(*bundle.signer_name, path.child("signerName"), errors);
        if (bundle.label_selector) check_label_selector(*bundle.label_selector, path.child("labelSelector"), errors);
    } else {
        errors.add_required(path, "either name or signerName must be specified");
    }
    if (bundle.path.empty()) errors.add_required(path.child("path"), "");
    check_local_file_path(bundle.path, path.child("path"), errors);
    files.add(bundle.path, bundle.path, errors);
}

void check_certificate_lifetime(const core::PodCertificateProjection& certificate, const FieldPath& path,
                                FieldErrors& errors) {
    if (!certificate.max_expiration_seconds) return;
    const std::int32_t seconds = *certificate.max_expiration_seconds;
    if (seconds < kCertificateSecondsMin)
        errors.add_invalid(path, seconds, "if provided, maxExpirationSeconds must be >= 3600");
    const std::string_view signer = certificate.signer_name;
    const std::string_view domain = signer.substr(0, signer.find('/'));
    const bool kubernetes = domain == "kubernetes.io" || domain.ends_with(".kubernetes.io");
    const std::int32_t seconds_max = kubernetes ? kKubernetesCertificateSecondsMax : kCertificateSecondsMax;
    if (seconds > seconds_max)
        errors.add_invalid(path, seconds,
                           "if provided, maxExpirationSeconds must be <= " + std::to_string(seconds_max));
}

void check_certificate(const core::PodCertificateProjection& certificate, const FieldPath& path, WrittenFiles& files,
                       FieldErrors& errors) {
    check_signer(certificate.signer_name, path.child("signerName"), errors);
    check_annotations(certificate.user_annotations, path.child("userAnnotations"), errors);
    if (!is_one_of(certificate.key_type, {"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"}))
        errors.add_not_supported(path.child("keyType"), certificate.key_type,
                                 {"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"});
    check_certificate_lifetime(certificate, path.child("maxExpirationSeconds"), errors);
    const std::pair<const char*, const Text&> written[] = {
        {"credentialBundlePath", certificate.credential_bundle_path},
        {"keyPath", certificate.key_path},
        {"certificateChainPath", certificate.certificate_chain_path},
    };
    bool any = false;
    for (const auto& [name, file] : written) {
        if (file.empty()) continue;
        any = true;
        check_local_file_path(file, path.child(name), errors);
        files.add(file, file, errors);
    }
    if (!any)
        errors.add_required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
}

void check_projection(const core::VolumeProjection& source, const FieldPath& path, WrittenFiles& files,
                      FieldErrors& errors) {
    int kinds = 0;
    if (source.secret) {
        ++kinds;
        const FieldPath at = path.child("secret");
        if (source.secret->reference.name.empty()) errors.add_required(at.child("name"), "");
        check_items(source.secret->items, source.secret->reference.name, at, files, errors);
    }
    if (source.config_map) {
        ++kinds;
        const FieldPath at = path.child("configMap");
        if (source.config_map->reference.name.empty()) errors.add_required(at.child("name"), "");
        check_items(source.config_map->items, source.config_map->reference.name, at, files, errors);
    }
    if (source.downward_api) {
        ++kinds;
        for (const core::DownwardAPIVolumeFile& file : source.downward_api->items) {
            check_downward_file(file, path.child("downwardAPI"), errors);
            if (!file.path.empty()) files.add(file.path, file.path, errors);
        }
    }
    if (source.service_account_token) {
        ++kinds;
        check_token(*source.service_account_token, files.volume, path.child("serviceAccountToken"), errors);
    }
    if (source.cluster_trust_bundle) {
        ++kinds;
        check_bundle(*source.cluster_trust_bundle, path.child("clusterTrustBundle"), files, errors);
    }
    if (source.pod_certificate) {
        ++kinds;
        check_certificate(*source.pod_certificate, path.child("podCertificate"), files, errors);
    }
    if (kinds > 1) errors.add_forbidden(path, "may not specify more than 1 volume type per source");
}

}  // namespace

void check_key_to_path(const core::KeyToPath& item, const FieldPath& path, FieldErrors& errors) {
    if (item.key.empty()) errors.add_required(path.child("key"), "");
    if (item.path.empty()) errors.add_required(path.child("path"), "");
    check_local_file_path(item.path, path.child("path"), errors);
    check_file_mode(item.mode, path.child("mode"), errors);
}

void check_downward_file(const core::DownwardAPIVolumeFile& file, const FieldPath& path, FieldErrors& errors) {
    if (file.path.empty()) errors.add_required(path.child("path"), "");
    check_local_file_path(file.path, path.child("path"), errors);
    if (file.field_ref) {
        check_field_ref(*file.field_ref, kVolumeFields, path.child("fieldRef"), errors);
        if (file.resource_field_ref)
            errors.add_invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    } else if (file.resource_field_ref) {
        check_resource_field_ref(*file.resource_field_ref, true, path.child("resourceFieldRef"), errors);
    } else {
        errors.add_required(path, "one of fieldRef and resourceFieldRef is required");
    }
    check_file_mode(file.mode, path.child("mode"), errors);
}

void check_projected(const core::ProjectedVolumeSource& source, const FieldPath& path, FieldErrors& errors) {
    check_file_mode(source.default_mode, path.child("defaultMode"), errors);
    WrittenFiles files{path, {}};
    for (std::size_t i = 0; i < source.sources.size(); ++i)
        check_projection(source.sources[i], path.child("sources").index(i), files, errors);
}

}  // namespace muster::api
