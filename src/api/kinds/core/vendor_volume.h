// Disks of single vendors in a pod's volumes. Kubernetes has handed all of them to drivers or dropped them; they are
// declared so that an object that names one reads and prints unchanged.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"

namespace muster::api::core {

struct GCEPersistentDiskVolumeSource {
    TYPE(GCEPersistentDiskVolumeSource,
         "A disk of Google Compute Engine in the node's zone. Served by the driver pd.csi.storage.gke.io.")
    FIELD(1, Text, pd_name, "Name of the disk.", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(3, std::int32_t, partition, "Partition to mount; zero or absent is the whole disk.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct AWSElasticBlockStoreVolumeSource {
    TYPE(AWSElasticBlockStoreVolumeSource,
         "A disk of Amazon EBS in the node's zone. Served by the driver ebs.csi.aws.com.")
    FIELD(1, Text, volume_id, "Identifier of the disk.", .json = "volumeID", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(3, std::int32_t, partition, "Partition to mount; zero or absent is the whole disk.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct GitRepoVolumeSource {
    TYPE(GitRepoVolumeSource,
         "A git repository, cloned when the pod starts. Deprecated: clone into an emptyDir from an init container.")
    FIELD(1, Text, repository, "URL of the repository.", .required = true)
    FIELD(2, Text, revision, "Commit to check out.")
    FIELD(3, Text, directory,
          "Directory within the volume to clone into, without any '..'. A single dot is the volume itself.")
};

struct GlusterfsVolumeSource {
    TYPE(GlusterfsVolumeSource, "A Glusterfs volume. No longer supported.")
    FIELD(1, Text, endpoints, "Name of the Endpoints object with the servers' addresses.", .required = true)
    FIELD(2, Text, path, "Path of the Glusterfs volume.", .required = true)
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct RBDVolumeSource {
    TYPE(RBDVolumeSource, "A Ceph block device. No longer supported.")
    FIELD(1, List<Text>, monitors, "Addresses of the Ceph monitors.", .required = true)
    FIELD(2, Text, image, "Name of the image.", .required = true)
    FIELD(3, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(4, Text, pool, "Pool of the image. rbd by default.")
    FIELD(5, Text, user, "Ceph user. admin by default.")
    FIELD(6, Text, keyring, "Path of the user's keyring on the node. /etc/ceph/keyring by default.")
    FIELD(7, Box<LocalObjectReference>, secret_ref, "Secret with the user's key. It is used rather than keyring.")
    FIELD(8, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct FlexVolumeSource {
    TYPE(FlexVolumeSource, "A volume from a driver that is a program on the node. Deprecated: use a CSI driver.")
    FIELD(1, Text, driver, "Name of the driver.", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount. The driver chooses when empty.")
    FIELD(3, Box<LocalObjectReference>, secret_ref, "Secret whose content is handed to the driver.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(5, Map<Text>, options, "Further options for the driver, by name.")
};

struct CinderVolumeSource {
    TYPE(CinderVolumeSource, "A disk of OpenStack Cinder. Served by the driver cinder.csi.openstack.org.")
    FIELD(1, Text, volume_id, "Identifier of the disk.", .json = "volumeID", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(4, Box<LocalObjectReference>, secret_ref, "Secret with the parameters for OpenStack.")
};

struct CephFSVolumeSource {
    TYPE(CephFSVolumeSource, "A Ceph filesystem. No longer supported.")
    FIELD(1, List<Text>, monitors, "Addresses of the Ceph monitors.", .required = true)
    FIELD(2, Text, path, "Directory of the Ceph tree to mount. / by default.")
    FIELD(3, Text, user, "Ceph user. admin by default.")
    FIELD(4, Text, secret_file, "Path of the user's keyring on the node. /etc/ceph/user.secret by default.")
    FIELD(5, Box<LocalObjectReference>, secret_ref, "Secret with the user's key. It is used rather than secretFile.")
    FIELD(6, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct FlockerVolumeSource {
    TYPE(FlockerVolumeSource, "A Flocker dataset, told by its name or its uuid. No longer supported.")
    FIELD(1, Text, dataset_name, "Name of the dataset. Deprecated.")
    FIELD(2, Text, dataset_uuid, "Identifier of the dataset.", .json = "datasetUUID")
};

struct AzureFileVolumeSource {
    TYPE(AzureFileVolumeSource, "A share of Azure Files. Served by the driver file.csi.azure.com.")
    FIELD(1, Text, secret_name, "Secret with the storage account's name and key.", .required = true)
    FIELD(2, Text, share_name, "Name of the share.", .required = true)
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct VsphereVirtualDiskVolumeSource {
    TYPE(VsphereVirtualDiskVolumeSource, "A vSphere disk. Served by the driver csi.vsphere.vmware.com.")
    FIELD(1, Text, volume_path, "Path of the disk.", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(3, Text, storage_policy_name, "Name of the storage policy.")
    FIELD(4, Text, storage_policy_id, "Identifier of the storage policy.", .json = "storagePolicyID")
};

struct QuobyteVolumeSource {
    TYPE(QuobyteVolumeSource, "A Quobyte volume. No longer supported.")
    FIELD(1, Text, registry, "Addresses of the registries as host:port, separated by commas.", .required = true)
    FIELD(2, Text, volume, "Name of the volume.", .required = true)
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(4, Text, user, "User for all access. The service account's user by default.")
    FIELD(5, Text, group, "Group for all access. None by default.")
    FIELD(6, Text, tenant, "Tenant that owns the volume.")
};

struct AzureDiskVolumeSource {
    TYPE(AzureDiskVolumeSource, "A data disk of Azure. Served by the driver disk.csi.azure.com.")
    FIELD(1, Text, disk_name, "Name of the disk.", .required = true)
    FIELD(2, Text, disk_uri, "URI of the disk.", .json = "diskURI", .required = true)
    FIELD(3, std::optional<Text>, caching_mode,
          "How the host caches: None, ReadOnly or ReadWrite. ReadWrite by default.",
          .one_of = "None|ReadOnly|ReadWrite")
    FIELD(4, std::optional<Text>, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(5, std::optional<bool>, read_only,
          "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(6, std::optional<Text>, kind,
          "Whether the disk is Shared or Dedicated in a storage account, or Managed. Shared by default.",
          .one_of = "Shared|Dedicated|Managed")
};

struct PhotonPersistentDiskVolumeSource {
    TYPE(PhotonPersistentDiskVolumeSource, "A Photon Controller disk. No longer supported.")
    FIELD(1, Text, pd_id, "Identifier of the disk.", .json = "pdID", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
};

struct PortworxVolumeSource {
    TYPE(PortworxVolumeSource, "A Portworx volume. Served by the driver pxd.portworx.com.")
    FIELD(1, Text, volume_id, "Identifier of the volume.", .json = "volumeID", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct ScaleIOVolumeSource {
    TYPE(ScaleIOVolumeSource, "A ScaleIO volume. No longer supported.")
    FIELD(1, Text, gateway, "Address of the gateway.", .required = true)
    FIELD(2, Text, system, "Name of the storage system.", .required = true)
    FIELD(3, Box<LocalObjectReference>, secret_ref, "Secret with the user's credentials.", .required = true)
    FIELD(4, bool, ssl_enabled, "Whether to speak to the gateway over TLS. False by default.")
    FIELD(5, Text, protection_domain, "Protection domain of the storage.")
    FIELD(6, Text, storage_pool, "Pool within the protection domain.")
    FIELD(7, Text, storage_mode, "ThickProvisioned or ThinProvisioned. ThinProvisioned by default.")
    FIELD(8, Text, volume_name, "Name of a volume that exists.")
    FIELD(9, Text, fs_type, "Filesystem to mount, which the node must support. xfs by default.")
    FIELD(10, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct StorageOSVolumeSource {
    TYPE(StorageOSVolumeSource, "A StorageOS volume. No longer supported.")
    FIELD(1, Text, volume_name, "Name of the volume in StorageOS.")
    FIELD(2, Text, volume_namespace, "Namespace of the volume in StorageOS. The pod's namespace by default.")
    FIELD(3, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(5, Box<LocalObjectReference>, secret_ref, "Secret with the credentials for StorageOS.")
};

}  // namespace muster::api::core
