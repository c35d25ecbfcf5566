// What a persistent volume can be made of, where that differs from what a pod names directly: these have no namespace
// of their own, so their references to secrets carry one.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/core/vendor_volume.h"
#include "api/kinds/core/volume_source.h"

namespace muster::api::core {

struct LocalVolumeSource {
    TYPE(LocalVolumeSource, "A disk or directory of one node. The volume must say which node by its node affinity.")
    FIELD(1, Text, path, "Path on the node of a directory or a block device.", .required = true)
    FIELD(2, std::optional<Text>, fs_type, "Filesystem to mount when path is a block device. Found out by default.")
};

struct CSIPersistentVolumeSource {
    TYPE(CSIPersistentVolumeSource, "A volume that a storage driver serves.")
    FIELD(1, Text, driver, "Name of the driver.", .required = true)
    FIELD(2, Text, volume_handle, "The driver's own name for the volume.", .required = true)
    FIELD(3, bool, read_only, "Asks the driver for a read-only volume. False by default.")
    FIELD(4, Text, fs_type, "Filesystem to mount. The driver chooses when empty.")
    FIELD(5, Map<Text>, volume_attributes, "Settings for the driver, by name. What they mean is up to the driver.")
    FIELD(6, Box<SecretReference>, controller_publish_secret_ref,
          "Secret handed to the driver when it attaches and detaches the volume.")
    FIELD(7, Box<SecretReference>, node_stage_secret_ref,
          "Secret handed to the driver when it prepares the volume on a node.")
    FIELD(8, Box<SecretReference>, node_publish_secret_ref,
          "Secret handed to the driver when it mounts and unmounts the volume for a pod.")
    FIELD(9, Box<SecretReference>, controller_expand_secret_ref,
          "Secret handed to the driver when it enlarges the volume.")
    FIELD(10, Box<SecretReference>, node_expand_secret_ref,
          "Secret handed to the driver when it enlarges the filesystem on a node.")
};

struct ISCSIPersistentVolumeSource {
    TYPE(ISCSIPersistentVolumeSource, "A disk of an iSCSI target.")
    FIELD(1, Text, target_portal, "Address of the target, with a port when it is neither 860 nor 3260.",
          .required = true)
    FIELD(2, Text, iqn, "Qualified name of the target.", .required = true)
    FIELD(3, std::int32_t, lun, "Number of the disk at the target.", .required = true)
    FIELD(4, Text, iscsi_interface, "Interface that carries the connection. default, which is TCP, by default.")
    FIELD(5, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(6, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(7, List<Text>, portals, "Further addresses of the target, for more than one path to the disk.")
    FIELD(8, bool, chap_auth_discovery, "Whether discovery authenticates with CHAP.")
    FIELD(10, Box<SecretReference>, secret_ref, "Secret with the CHAP credentials.")
    FIELD(11, bool, chap_auth_session, "Whether the session authenticates with CHAP.")
    FIELD(12, std::optional<Text>, initiator_name,
          "Name the node gives itself. Together with iscsiInterface, a new interface is made for the connection.")
};

struct GlusterfsPersistentVolumeSource {
    TYPE(GlusterfsPersistentVolumeSource, "A Glusterfs volume. No longer supported.")
    FIELD(1, Text, endpoints, "Name of the Endpoints object with the servers' addresses.", .required = true)
    FIELD(2, Text, path, "Path of the Glusterfs volume.", .required = true)
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(4, std::optional<Text>, endpoints_namespace,
          "Namespace of the Endpoints object. The bound claim's by default.")
};

struct RBDPersistentVolumeSource {
    TYPE(RBDPersistentVolumeSource, "A Ceph block device. No longer supported.")
    FIELD(1, List<Text>, monitors, "Addresses of the Ceph monitors.", .required = true)
    FIELD(2, Text, image, "Name of the image.", .required = true)
    FIELD(3, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(4, Text, pool, "Pool of the image. rbd by default.")
    FIELD(5, Text, user, "Ceph user. admin by default.")
    FIELD(6, Text, keyring, "Path of the user's keyring on the node. /etc/ceph/keyring by default.")
    FIELD(7, Box<SecretReference>, secret_ref, "Secret with the user's key. It is used rather than keyring.")
    FIELD(8, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct FlexPersistentVolumeSource {
    TYPE(FlexPersistentVolumeSource,
         "A volume from a driver that is a program on the node. Deprecated: use a CSI driver.")
    FIELD(1, Text, driver, "Name of the driver.", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount. The driver chooses when empty.")
    FIELD(3, Box<SecretReference>, secret_ref, "Secret whose content is handed to the driver.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(5, Map<Text>, options, "Further options for the driver, by name.")
};

struct CinderPersistentVolumeSource {
    TYPE(CinderPersistentVolumeSource, "A disk of OpenStack Cinder. Served by the driver cinder.csi.openstack.org.")
    FIELD(1, Text, volume_id, "Identifier of the disk.", .json = "volumeID", .required = true)
    FIELD(2, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(4, Box<SecretReference>, secret_ref, "Secret with the parameters for OpenStack.")
};

struct CephFSPersistentVolumeSource {
    TYPE(CephFSPersistentVolumeSource, "A Ceph filesystem. No longer supported.")
    FIELD(1, List<Text>, monitors, "Addresses of the Ceph monitors.", .required = true)
    FIELD(2, Text, path, "Directory of the Ceph tree to mount. / by default.")
    FIELD(3, Text, user, "Ceph user. admin by default.")
    FIELD(4, Text, secret_file, "Path of the user's keyring on the node. /etc/ceph/user.secret by default.")
    FIELD(5, Box<SecretReference>, secret_ref, "Secret with the user's key. It is used rather than secretFile.")
    FIELD(6, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct AzureFilePersistentVolumeSource {
    TYPE(AzureFilePersistentVolumeSource, "A share of Azure Files. Served by the driver file.csi.azure.com.")
    FIELD(1, Text, secret_name, "Secret with the storage account's name and key.", .required = true)
    FIELD(2, Text, share_name, "Name of the share.", .required = true)
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(4, std::optional<Text>, secret_namespace, "Namespace of the secret. The pod's by default.", .required = true,
          .optional = true)
};

struct ScaleIOPersistentVolumeSource {
    TYPE(ScaleIOPersistentVolumeSource, "A ScaleIO volume. No longer supported.")
    FIELD(1, Text, gateway, "Address of the gateway.", .required = true)
    FIELD(2, Text, system, "Name of the storage system.", .required = true)
    FIELD(3, Box<SecretReference>, secret_ref, "Secret with the user's credentials.", .required = true)
    FIELD(4, bool, ssl_enabled, "Whether to speak to the gateway over TLS. False by default.")
    FIELD(5, Text, protection_domain, "Protection domain of the storage.")
    FIELD(6, Text, storage_pool, "Pool within the protection domain.")
    FIELD(7, Text, storage_mode, "ThickProvisioned or ThinProvisioned. ThinProvisioned by default.")
    FIELD(8, Text, volume_name, "Name of a volume that exists.")
    FIELD(9, Text, fs_type, "Filesystem to mount, which the node must support. xfs by default.")
    FIELD(10, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct StorageOSPersistentVolumeSource {
    TYPE(StorageOSPersistentVolumeSource, "A StorageOS volume. No longer supported.")
    FIELD(1, Text, volume_name, "Name of the volume in StorageOS.")
    FIELD(2, Text, volume_namespace, "Namespace of the volume in StorageOS. The pod's namespace by default.")
    FIELD(3, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(5, Box<ObjectReference>, secret_ref, "Secret with the credentials for StorageOS.")
};

struct PersistentVolumeSource {
    TYPE(PersistentVolumeSource, "What a persistent volume is made of. Exactly one of the fields is set.")
    FIELD(1, Box<GCEPersistentDiskVolumeSource>, gce_persistent_disk,
          "A disk of Google Compute Engine. Served by the driver pd.csi.storage.gke.io.")
    FIELD(2, Box<AWSElasticBlockStoreVolumeSource>, aws_elastic_block_store,
          "A disk of Amazon EBS. Served by the driver ebs.csi.aws.com.")
    FIELD(3, Box<HostPathVolumeSource>, host_path, "A directory of the node. Only fit for a cluster of one node.")
    FIELD(4, Box<GlusterfsPersistentVolumeSource>, glusterfs, "A Glusterfs volume. No longer supported.")
    FIELD(5, Box<NFSVolumeSource>, nfs, "A directory of an NFS server.")
    FIELD(6, Box<RBDPersistentVolumeSource>, rbd, "A Ceph block device. No longer supported.")
    FIELD(7, Box<ISCSIPersistentVolumeSource>, iscsi, "A disk of an iSCSI target.")
    FIELD(8, Box<CinderPersistentVolumeSource>, cinder,
          "A disk of OpenStack Cinder. Served by the driver cinder.csi.openstack.org.")
    FIELD(9, Box<CephFSPersistentVolumeSource>, cephfs, "A Ceph filesystem. No longer supported.")
    FIELD(10, Box<FCVolumeSource>, fc, "A disk on a Fibre Channel network.")
    FIELD(11, Box<FlockerVolumeSource>, flocker, "A Flocker dataset. No longer supported.")
    FIELD(12, Box<FlexPersistentVolumeSource>, flex_volume,
          "A volume from a driver that is a program on the node. Deprecated.")
    FIELD(13, Box<AzureFilePersistentVolumeSource>, azure_file,
          "A share of Azure Files. Served by the driver file.csi.azure.com.")
    FIELD(14, Box<VsphereVirtualDiskVolumeSource>, vsphere_volume,
          "A vSphere disk. Served by the driver csi.vsphere.vmware.com.")
    FIELD(15, Box<QuobyteVolumeSource>, quobyte, "A Quobyte volume. No longer supported.")
    FIELD(16, Box<AzureDiskVolumeSource>, azure_disk, "A data disk of Azure. Served by the driver disk.csi.azure.com.")
    FIELD(17, Box<PhotonPersistentDiskVolumeSource>, photon_persistent_disk,
          "A Photon Controller disk. No longer supported.")
    FIELD(18, Box<PortworxVolumeSource>, portworx_volume, "A Portworx volume. Served by the driver pxd.portworx.com.")
    FIELD(19, Box<ScaleIOPersistentVolumeSource>, scale_io, "A ScaleIO volume. No longer supported.", .json = "scaleIO")
    FIELD(20, Box<LocalVolumeSource>, local, "A disk or directory of one node.")
    FIELD(21, Box<StorageOSPersistentVolumeSource>, storageos, "A StorageOS volume. No longer supported.")
    FIELD(22, Box<CSIPersistentVolumeSource>, csi, "A volume that a storage driver serves.")
};

}  // namespace muster::api::core
