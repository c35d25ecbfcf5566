// A piece of storage that exists apart from any pod and waits for, or is bound to, a claim.
#pragma once

#include "api/kinds/core/affinity.h"
#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/core/storage/persistent_volume_source.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "api/value/quantity.h"
#include "api/value/time.h"

namespace muster::api::core {

struct VolumeNodeAffinity {
    TYPE(VolumeNodeAffinity, "From which nodes a volume can be reached.")
    FIELD(1, Box<NodeSelector>, required, "What a node must be like. Pods that use the volume are placed accordingly.")
};

struct PersistentVolumeSpec {
    TYPE(PersistentVolumeSpec, "What the volume is and how it may be used.")
    FIELD(1, Map<Quantity>, capacity, "What it has, by resource: storage.")
    FIELD(2, PersistentVolumeSource, source, "What it is made of.", .inlined = true)
    FIELD(3, List<Text>, access_modes,
          "All the ways it can be mounted: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.")
    FIELD(4, Box<ObjectReference>, claim_ref, "The claim it is bound to. The claim's volumeName is what counts.")
    FIELD(5, Text, persistent_volume_reclaim_policy,
          "What happens once its claim is gone: Retain keeps it, Delete removes it, Recycle (deprecated) wipes it. "
          "Retain by default, Delete for provisioned volumes.",
          .one_of = "Recycle|Delete|Retain")
    FIELD(6, Text, storage_class_name, "The class it belongs to. Empty for none.")
    FIELD(7, List<Text>, mount_options,
          "Options for mount, such as ro. They are not checked; a wrong one makes the mount fail.")
    FIELD(8, std::optional<Text>, volume_mode,
          "Filesystem for a mounted volume, Block for the bare device. Filesystem by default.",
          .one_of = "Block|Filesystem")
    FIELD(9, Box<VolumeNodeAffinity>, node_affinity, "From which nodes it can be reached. From all by default.")
    FIELD(10, std::optional<Text>, volume_attributes_class_name,
          "The class whose attributes it has. Never empty; absent for none.")
};

struct PersistentVolumeStatus {
    TYPE(PersistentVolumeStatus, "What is known of the volume.")
    FIELD(1, Text, phase, "Pending, Available, Bound, Released after its claim is gone, or Failed.",
          .one_of = "Pending|Available|Bound|Released|Failed")
    FIELD(2, Text, message, "Why it is in this phase, as a sentence for people.")
    FIELD(3, Text, reason, "Why it failed, as one CamelCase word for programs.")
    FIELD(4, std::optional<Time>, last_phase_transition_time, "When phase last changed.")
};

struct PersistentVolume {
    KIND(PersistentVolume, "A piece of storage that belongs to the cluster and outlives the pods that use it.",
         .plural = "persistentvolumes", .namespaced = false, .short_names = "pv", .returned_by_delete = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, PersistentVolumeSpec, spec, "What the volume is and how it may be used.")
    FIELD(3, PersistentVolumeStatus, status, "What is known of the volume. Read-only for users.")
};

}  // namespace muster::api::core
