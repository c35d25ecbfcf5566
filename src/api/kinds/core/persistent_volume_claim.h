// A request for storage, which some PersistentVolume is bound to, and the template that a pod's ephemeral volume makes
// such a request from.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/core/volume_health.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "api/value/quantity.h"
#include "api/value/time.h"

namespace muster::api::core {

struct VolumeResourceRequirements {
    TYPE(VolumeResourceRequirements, "How much storage is asked for.")
    FIELD(1, Map<Quantity>, limits, "The most that is wanted, by resource.")
    FIELD(2, Map<Quantity>, requests, "The least that is wanted, by resource: storage.")
};

struct PersistentVolumeClaimSpec {
    TYPE(PersistentVolumeClaimSpec, "What storage is wanted.")
    FIELD(1, List<Text>, access_modes,
          "How it must be mountable: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.")
    FIELD(2, VolumeResourceRequirements, resources,
          "How much is wanted. It can be raised later, and lowered again as far as the present capacity.")
    FIELD(3, Text, volume_name, "The volume this claim is bound to.")
    FIELD(4, Box<meta::LabelSelector>, selector, "Which volumes are considered, by their labels.")
    FIELD(5, std::optional<Text>, storage_class_name,
          "The class that provisions the volume. Without it the cluster's default class; empty for a volume without "
          "class.")
    FIELD(6, std::optional<Text>, volume_mode,
          "Filesystem for a mounted volume, Block for the bare device. Filesystem by default.",
          .one_of = "Block|Filesystem")
    FIELD(7, Box<TypedLocalObjectReference>, data_source,
          "A VolumeSnapshot or a claim whose content the volume starts with. It is kept equal to dataSourceRef.")
    FIELD(8, Box<TypedObjectReference>, data_source_ref,
          "Any object whose content the volume starts with, for a provisioner that knows it. With a namespace given, "
          "dataSource must be empty.")
    FIELD(9, std::optional<Text>, volume_attributes_class_name,
          "The class whose attributes the volume gets. Unlike storageClassName it can change later.")
};

struct PersistentVolumeClaimCondition {
    TYPE(PersistentVolumeClaimCondition, "One aspect of a claim's current state.")
    FIELD(1, Text, type, "Which aspect, such as Resizing or FileSystemResizePending.", .required = true)
    FIELD(2, Text, status, "Whether it holds: True, False or Unknown.", .required = true,
          .one_of = "True|False|Unknown")
    FIELD(3, Time, last_probe_time, "When it was last looked at.")
    FIELD(4, Time, last_transition_time, "When status last changed.")
    FIELD(5, Text, reason, "Why, as one CamelCase word for programs.")
    FIELD(6, Text, message, "Why, as a sentence for people.")
};

struct ModifyVolumeStatus {
    TYPE(ModifyVolumeStatus, "How far a change of the volume's attributes has come.")
    FIELD(1, Text, target_volume_attributes_class_name, "The class that is being changed to.")
    FIELD(2, Text, status,
          "Pending while something is missing, InProgress while it is done, Infeasible when the driver refused it.",
          .required = true, .one_of = "Pending|InProgress|Infeasible")
};

struct PersistentVolumeClaimStatus {
    TYPE(PersistentVolumeClaimStatus, "What is known of the claim and its volume.")
    FIELD(1, Text, phase, "Pending before a volume is bound, Bound with one, Lost when it has gone.",
          .one_of = "Pending|Bound|Lost")
    FIELD(2, List<Text>, access_modes, "How the bound volume can be mounted.")
    FIELD(3, Map<Quantity>, capacity, "What the bound volume has, by resource.")
    FIELD(4, List<PersistentVolumeClaimCondition>, conditions,
          "Aspects of the claim's state, such as a resize that is under way.", .patch = Patch::kMerge,
          .merge_key = "type", .list = ListKind::kMap, .list_keys = "type")
    FIELD(5, Map<Quantity>, allocated_resources,
          "What has been allotted to the claim, by resource. More than capacity while the volume grows.")
    FIELD(7, Map<Text>, allocated_resource_statuses,
          "How far a resize has come, by resource: ControllerResizeInProgress, ControllerResizeInfeasible, "
          "NodeResizePending, NodeResizeInProgress or NodeResizeInfeasible.")
    FIELD(8, std::optional<Text>, current_volume_attributes_class_name,
          "The class whose attributes the volume has now.")
    FIELD(9, Box<ModifyVolumeStatus>, modify_volume_status,
          "The change of class that is under way. Absent when there is none.")
    GATED(10, Box<VolumeHealthStatus>, health_status, "How the bound volume is.")
};

struct PersistentVolumeClaim {
    KIND(PersistentVolumeClaim, "A request for storage in a namespace.", .plural = "persistentvolumeclaims",
         .short_names = "pvc", .access = Access::kEdit, .returned_by_delete = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, PersistentVolumeClaimSpec, spec, "What storage is wanted.")
    FIELD(3, PersistentVolumeClaimStatus, status, "What is known of it. Read-only for users.")
};

struct PersistentVolumeClaimTemplate {
    TYPE(PersistentVolumeClaimTemplate, "What to make a claim from.")
    FIELD(1, meta::ObjectMeta, metadata, "Labels and annotations for the claim. Nothing else is allowed.")
    FIELD(2, PersistentVolumeClaimSpec, spec, "The claim's spec, used as it is.", .required = true)
};

}  // namespace muster::api::core
