// A named volume of a pod. Which of the sources is set says what kind of volume it is.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/projected.h"
#include "api/kinds/core/vendor_volume.h"
#include "api/kinds/core/volume_source.h"

namespace muster::api::core {

struct VolumeSource {
    TYPE(VolumeSource,
         "What a pod's volume is made of. At most one of the fields is set; without any it is an emptyDir.")
    FIELD(1, Box<HostPathVolumeSource>, host_path,
          "A file or directory of the node itself. Most pods should not use it.")
    FIELD(2, Box<EmptyDirVolumeSource>, empty_dir, "A directory that starts empty and lives as long as the pod.")
    FIELD(3, Box<GCEPersistentDiskVolumeSource>, gce_persistent_disk,
          "A disk of Google Compute Engine. Served by the driver pd.csi.storage.gke.io.")
    FIELD(4, Box<AWSElasticBlockStoreVolumeSource>, aws_elastic_block_store,
          "A disk of Amazon EBS. Served by the driver ebs.csi.aws.com.")
    FIELD(5, Box<GitRepoVolumeSource>, git_repo,
          "A git repository. Deprecated: clone into an emptyDir from an init container.")
    FIELD(6, Box<SecretVolumeSource>, secret, "A Secret as files.")
    FIELD(7, Box<NFSVolumeSource>, nfs, "A directory of an NFS server.")
    FIELD(8, Box<ISCSIVolumeSource>, iscsi, "A disk of an iSCSI target.")
    FIELD(9, Box<GlusterfsVolumeSource>, glusterfs, "A Glusterfs volume. No longer supported.")
    FIELD(10, Box<PersistentVolumeClaimVolumeSource>, persistent_volume_claim,
          "The volume behind a claim in the pod's namespace.")
    FIELD(11, Box<RBDVolumeSource>, rbd, "A Ceph block device. No longer supported.")
    FIELD(12, Box<FlexVolumeSource>, flex_volume, "A volume from a driver that is a program on the node. Deprecated.")
    FIELD(13, Box<CinderVolumeSource>, cinder,
          "A disk of OpenStack Cinder. Served by the driver cinder.csi.openstack.org.")
    FIELD(14, Box<CephFSVolumeSource>, cephfs, "A Ceph filesystem. No longer supported.")
    FIELD(15, Box<FlockerVolumeSource>, flocker, "A Flocker dataset. No longer supported.")
    FIELD(16, Box<DownwardAPIVolumeSource>, downward_api, "Values of the pod itself as files.", .json = "downwardAPI")
    FIELD(17, Box<FCVolumeSource>, fc, "A disk on a Fibre Channel network.")
    FIELD(18, Box<AzureFileVolumeSource>, azure_file,
          "A share of Azure Files. Served by the driver file.csi.azure.com.")
    FIELD(19, Box<ConfigMapVolumeSource>, config_map, "A ConfigMap as files.")
    FIELD(20, Box<VsphereVirtualDiskVolumeSource>, vsphere_volume,
          "A vSphere disk. Served by the driver csi.vsphere.vmware.com.")
    FIELD(21, Box<QuobyteVolumeSource>, quobyte, "A Quobyte volume. No longer supported.")
    FIELD(22, Box<AzureDiskVolumeSource>, azure_disk, "A data disk of Azure. Served by the driver disk.csi.azure.com.")
    FIELD(23, Box<PhotonPersistentDiskVolumeSource>, photon_persistent_disk,
          "A Photon Controller disk. No longer supported.")
    FIELD(24, Box<PortworxVolumeSource>, portworx_volume, "A Portworx volume. Served by the driver pxd.portworx.com.")
    FIELD(25, Box<ScaleIOVolumeSource>, scale_io, "A ScaleIO volume. No longer supported.", .json = "scaleIO")
    FIELD(26, Box<ProjectedVolumeSource>, projected,
          "Secrets, ConfigMaps, tokens and values of the pod as files of one directory.")
    FIELD(27, Box<StorageOSVolumeSource>, storageos, "A StorageOS volume. No longer supported.")
    FIELD(28, Box<CSIVolumeSource>, csi, "A volume that a storage driver makes for this pod.")
    FIELD(29, Box<EphemeralVolumeSource>, ephemeral, "A claim of its own for this pod, which goes with the pod.")
    FIELD(30, Box<ImageVolumeSource>, image, "The content of an image or artifact, read-only.")
};

struct Volume {
    TYPE(Volume, "A named volume of a pod, which its containers can mount.")
    FIELD(1, Text, name, "Its name: a DNS label, unique in the pod.", .required = true)
    FIELD(2, VolumeSource, source, "What it is made of.", .inlined = true)
};

}  // namespace muster::api::core
