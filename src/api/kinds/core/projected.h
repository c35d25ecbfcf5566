// Files that the node writes from objects: Secrets, ConfigMaps, fields of the pod, tokens and certificates, each as a
// volume of its own or together in one projected volume.
#pragma once

#include "api/kinds/core/container.h"
#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::core {

struct KeyToPath {
    TYPE(KeyToPath, "Which file one key goes into.")
    FIELD(1, Text, key, "The key.", .required = true)
    FIELD(2, Text, path, "Path of the file within the volume: relative and without any '..'.", .required = true)
    FIELD(3, std::optional<std::int32_t>, mode,
          "Permission bits of the file, 0 to 0777 (511 in JSON). The volume's defaultMode by default.")
    GATED(4, std::optional<std::int64_t>, user, "UID that owns the file.")
};

struct SecretVolumeSource {
    TYPE(SecretVolumeSource, "A Secret of the pod's namespace as files, one for each key.")
    FIELD(1, Text, secret_name, "Name of the Secret.")
    FIELD(2, List<KeyToPath>, items,
          "The keys to write, and where. All keys under their own names when empty; a key that is missing is an error "
          "unless optional is true.")
    FIELD(3, std::optional<std::int32_t>, default_mode,
          "Permission bits of files that state none, 0 to 0777 (511 in JSON). 0644 by default.")
    FIELD(4, std::optional<bool>, optional, "When true, the pod starts though the Secret or a key of it is missing.")
    GATED(5, std::optional<std::int64_t>, default_user, "UID that owns the files that state none.")
};

struct ConfigMapVolumeSource {
    TYPE(ConfigMapVolumeSource, "A ConfigMap of the pod's namespace as files, one for each key.")
    FIELD(1, LocalObjectReference, reference, "The ConfigMap.", .inlined = true)
    FIELD(2, List<KeyToPath>, items,
          "The keys to write, and where. All keys under their own names when empty; a key that is missing is an error "
          "unless optional is true.")
    FIELD(3, std::optional<std::int32_t>, default_mode,
          "Permission bits of files that state none, 0 to 0777 (511 in JSON). 0644 by default.")
    FIELD(4, std::optional<bool>, optional, "When true, the pod starts though the ConfigMap or a key of it is missing.")
    GATED(5, std::optional<std::int64_t>, default_user, "UID that owns the files that state none.")
};

struct DownwardAPIVolumeFile {
    TYPE(DownwardAPIVolumeFile, "One file with a value of the pod.")
    FIELD(1, Text, path, "Path of the file within the volume: relative and without any '..'.", .required = true)
    FIELD(2, Box<ObjectFieldSelector>, field_ref,
          "The field of the pod to write: its name, namespace, uid, labels or annotations.")
    FIELD(3, Box<ResourceFieldSelector>, resource_field_ref,
          "The request or limit of a container to write, such as limits.cpu.")
    FIELD(4, std::optional<std::int32_t>, mode,
          "Permission bits of the file, 0 to 0777 (511 in JSON). The volume's defaultMode by default.")
    GATED(5, std::optional<std::int64_t>, user, "UID that owns the file.")
};

struct DownwardAPIVolumeSource {
    TYPE(DownwardAPIVolumeSource, "Values of the pod itself as files.")
    FIELD(1, List<DownwardAPIVolumeFile>, items, "The files.")
    FIELD(2, std::optional<std::int32_t>, default_mode,
          "Permission bits of files that state none, 0 to 0777 (511 in JSON). 0644 by default.")
    GATED(3, std::optional<std::int64_t>, default_user, "UID that owns the files that state none.")
};

struct SecretProjection {
    TYPE(SecretProjection, "Keys of a Secret in a projected volume.")
    FIELD(1, LocalObjectReference, reference, "The Secret.", .inlined = true)
    FIELD(2, List<KeyToPath>, items,
          "The keys to write, and where. All keys under their own names when empty; a key that is missing is an error "
          "unless optional is true.")
    FIELD(4, std::optional<bool>, optional, "When true, the pod starts though the Secret or a key of it is missing.")
};

struct ConfigMapProjection {
    TYPE(ConfigMapProjection, "Keys of a ConfigMap in a projected volume.")
    FIELD(1, LocalObjectReference, reference, "The ConfigMap.", .inlined = true)
    FIELD(2, List<KeyToPath>, items,
          "The keys to write, and where. All keys under their own names when empty; a key that is missing is an error "
          "unless optional is true.")
    FIELD(4, std::optional<bool>, optional, "When true, the pod starts though the ConfigMap or a key of it is missing.")
};

struct DownwardAPIProjection {
    TYPE(DownwardAPIProjection, "Values of the pod itself in a projected volume.")
    FIELD(1, List<DownwardAPIVolumeFile>, items, "The files.")
};

struct ServiceAccountTokenProjection {
    TYPE(ServiceAccountTokenProjection,
         "A token of the pod's service account in a projected volume, renewed before it expires.")
    FIELD(1, Text, audience,
          "Audience that the token is meant for; others should refuse it. The API server by default.")
    FIELD(2, std::optional<std::int64_t>, expiration_seconds,
          "Seconds the token is asked to be valid for, at least 600. 3600 by default.")
    FIELD(3, Text, path, "Path of the file within the volume.", .required = true)
    GATED(4, std::optional<std::int64_t>, user, "UID that owns the file.")
};

struct ClusterTrustBundleProjection {
    TYPE(ClusterTrustBundleProjection,
         "Certificates of cluster trust bundles in a projected volume, in one file without duplicates.")
    FIELD(1, std::optional<Text>, name, "The one bundle to take. Not together with signerName or labelSelector.")
    FIELD(2, std::optional<Text>, signer_name,
          "Takes all bundles of this signer that labelSelector selects. Not together with name.")
    FIELD(3, Box<meta::LabelSelector>, label_selector,
          "Which of the signer's bundles to take. None when absent, all when empty.")
    FIELD(4, Text, path, "Path of the file within the volume.", .required = true)
    FIELD(5, std::optional<bool>, optional, "When true, the pod starts though there is no such bundle.")
    GATED(6, std::optional<std::int64_t>, user, "UID that owns the file.")
};

struct PodCertificateProjection {
    TYPE(PodCertificateProjection,
         "A private key and a certificate for it in a projected volume, renewed while the pod lives. The pod starts "
         "once they are issued.")
    FIELD(1, Text, signer_name, "The signer that is asked for the certificate.")
    FIELD(2, Text, key_type, "Kind of key to make: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.")
    FIELD(3, std::optional<std::int32_t>, max_expiration_seconds,
          "The longest the certificate may be valid, from 3600 to 7862400 (91 days). 86400 by default; the signer may "
          "choose less.")
    FIELD(4, Text, credential_bundle_path,
          "File for the key followed by the certificate chain, in PEM. One file is always consistent, so prefer it to "
          "the two below.")
    FIELD(5, Text, key_path, "File for the key alone. Read during a renewal it may not fit the certificate.")
    FIELD(6, Text, certificate_chain_path,
          "File for the certificate chain alone. Read during a renewal it may not fit the key.")
    FIELD(7, Map<Text>, user_annotations,
          "Further words to the signer, passed on unchecked. Keys have a domain prefix.")
    GATED(8, std::optional<std::int64_t>, user, "UID that owns the file.")
};

struct VolumeProjection {
    TYPE(VolumeProjection, "One part of a projected volume. Exactly one of the fields is set.")
    FIELD(1, Box<SecretProjection>, secret, "Keys of a Secret.")
    FIELD(2, Box<DownwardAPIProjection>, downward_api, "Values of the pod itself.", .json = "downwardAPI")
    FIELD(3, Box<ConfigMapProjection>, config_map, "Keys of a ConfigMap.")
    FIELD(4, Box<ServiceAccountTokenProjection>, service_account_token, "A token of the pod's service account.")
    FIELD(5, Box<ClusterTrustBundleProjection>, cluster_trust_bundle, "Certificates that the cluster trusts.")
    FIELD(6, Box<PodCertificateProjection>, pod_certificate, "A key and certificate for the pod.")
};

struct ProjectedVolumeSource {
    TYPE(ProjectedVolumeSource, "Several sources as files of one directory.")
    FIELD(1, List<VolumeProjection>, sources, "The sources. No two may write the same file.", .required = true,
          .optional = true)
    FIELD(2, std::optional<std::int32_t>, default_mode,
          "Permission bits of files that state none, 0 to 0777 (511 in JSON). 0644 by default.")
    GATED(3, std::optional<std::int64_t>, default_user, "UID that owns the files that state none.")
};

}  // namespace muster::api::core
