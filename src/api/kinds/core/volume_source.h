// What a pod's volume can be made of, in the forms that are in use today. Files made from objects are in projected.h,
// the disks of single vendors in vendor_volume.h. NFS and Fibre Channel serve persistent volumes too.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/reference.h"
#include "api/value/quantity.h"

namespace muster::api::core {

struct HostPathVolumeSource {
    TYPE(HostPathVolumeSource, "A file or directory of the node itself. It is as dangerous as the path it names.")
    FIELD(1, Text, path, "Absolute path on the node. Symbolic links are followed.", .required = true)
    FIELD(2, std::optional<Text>, type,
          "What must be there before mounting: Directory, File, Socket, CharDevice or BlockDevice, or "
          "DirectoryOrCreate and FileOrCreate, which make it. Empty, the default, checks nothing.",
          .one_of = "DirectoryOrCreate|Directory|FileOrCreate|File|Socket|CharDevice|BlockDevice")
};

struct EmptyDirVolumeSource {
    TYPE(EmptyDirVolumeSource, "A directory that starts empty and lives as long as the pod.")
    FIELD(1, Text, medium,
          "Memory keeps the files in memory, where they count against the containers' limits; HugePages uses huge "
          "pages. Empty, the default, is the node's disk.")
    FIELD(2, std::optional<Quantity>, size_limit,
          "The most the directory may hold before the pod is evicted. Without limit by default.")
    GATED(3, std::optional<std::int32_t>, mode, "Permission bits of the directory.")
};

struct NFSVolumeSource {
    TYPE(NFSVolumeSource, "A directory of an NFS server.")
    FIELD(1, Text, server, "Host name or address of the server.", .required = true)
    FIELD(2, Text, path, "Path that the server exports.", .required = true)
    FIELD(3, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct ISCSIVolumeSource {
    TYPE(ISCSIVolumeSource, "A disk of an iSCSI target.")
    FIELD(1, Text, target_portal, "Address of the target, with a port when it is neither 860 nor 3260.",
          .required = true)
    FIELD(2, Text, iqn, "Qualified name of the target.", .required = true)
    FIELD(3, std::int32_t, lun, "Number of the disk at the target.", .required = true)
    FIELD(4, Text, iscsi_interface, "Interface that carries the connection. default, which is TCP, by default.")
    FIELD(5, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(6, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(7, List<Text>, portals, "Further addresses of the target, for more than one path to the disk.")
    FIELD(8, bool, chap_auth_discovery, "Whether discovery authenticates with CHAP.")
    FIELD(10, Box<LocalObjectReference>, secret_ref, "Secret with the CHAP credentials.")
    FIELD(11, bool, chap_auth_session, "Whether the session authenticates with CHAP.")
    FIELD(12, std::optional<Text>, initiator_name,
          "Name the node gives itself. Together with iscsiInterface, a new interface is made for the connection.")
};

struct FCVolumeSource {
    TYPE(FCVolumeSource, "A disk on a Fibre Channel network, told by wwids or by targetWWNs and lun, but not both.")
    FIELD(1, List<Text>, target_wwns, "World wide names of the target.", .json = "targetWWNs")
    FIELD(2, std::optional<std::int32_t>, lun, "Number of the disk at the target.")
    FIELD(3, Text, fs_type, "Filesystem to mount, which the node must support. ext4 by default.")
    FIELD(4, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
    FIELD(5, List<Text>, wwids, "World wide identifiers of the disk.")
};

struct CSIVolumeSource {
    TYPE(CSIVolumeSource, "A volume that a storage driver makes for this pod and removes with it.")
    FIELD(1, Text, driver, "Name of the driver, as registered on the node.", .required = true)
    FIELD(2, std::optional<bool>, read_only, "Asks the driver for a read-only volume. False by default.")
    FIELD(3, std::optional<Text>, fs_type, "Filesystem to mount. Empty leaves the choice to the driver.")
    FIELD(4, Map<Text>, volume_attributes, "Settings for the driver, by name. What they mean is up to the driver.")
    FIELD(5, Box<LocalObjectReference>, node_publish_secret_ref,
          "Secret in the pod's namespace that is handed to the driver when it mounts and unmounts.")
};

struct ImageVolumeSource {
    TYPE(ImageVolumeSource, "The content of an image or artifact from a registry, mounted read-only.")
    FIELD(1, Text, reference, "The image, written as in a container. Pulled with the same secrets as the pod's images.")
    FIELD(2, Text, pull_policy,
          "When to pull it: Always, Never or IfNotPresent. Always by default for the tag latest, IfNotPresent for "
          "others.",
          .one_of = "Always|Never|IfNotPresent")
};

struct PersistentVolumeClaimVolumeSource {
    TYPE(PersistentVolumeClaimVolumeSource, "The volume behind a claim in the pod's namespace.")
    FIELD(1, Text, claim_name, "Name of the claim.", .required = true)
    FIELD(2, bool, read_only, "Mounts the volume read-only, whatever the container's mount says. False by default.")
};

struct EphemeralVolumeSource {
    TYPE(EphemeralVolumeSource,
         "A volume of its own for this pod: a claim is made from a template and goes with the pod.")
    FIELD(1, Box<PersistentVolumeClaimTemplate>, volume_claim_template,
          "What to make the claim from. It is named after pod and volume, <pod>-<volume>; a claim of that name that "
          "the pod does not own keeps the pod from starting.")
};

}  // namespace muster::api::core
