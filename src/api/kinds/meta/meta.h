// What every object carries, and the types that all groups share: names, owners, labels and how to select by them,
// conditions, and the options of a delete. Lists are generic (see ListMeta), so no …List type is declared anywhere.
#pragma once

#include "api/schema/kind_info.h"
#include "api/value/time.h"

namespace muster::api::meta {

inline constexpr const char* kPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
inline constexpr const char* kGroup = "meta.k8s.io";
inline constexpr const char* kVersion = "v1";

struct OwnerReference {
    TYPE(OwnerReference, "Names an object that owns this one. The owner is in the same namespace or in none.",
         .atomic = true)
    FIELD(1, Text, kind, "Kind of the owner, such as Job.", .required = true)
    FIELD(3, Text, name, "Name of the owner.", .required = true)
    FIELD(4, Text, uid, "UID of the owner. An object of the same name and another UID is not the owner.",
          .required = true)
    FIELD(5, Text, api_version, "Group and version of the owner's kind, such as batch/v1.", .required = true)
    FIELD(6, std::optional<bool>, controller, "True for the one owner that manages this object.")
    FIELD(7, std::optional<bool>, block_owner_deletion,
          "When true and the owner is deleted in the foreground, the owner stays until this object is gone. Setting it "
          "needs the right to delete the owner. False by default.")
};

struct ManagedFieldsEntry {
    TYPE(ManagedFieldsEntry, "The fields that one manager has set, and how and when it did so.")
    FIELD(1, Text, manager, "Name of the program or person that set the fields.")
    FIELD(2, Text, operation, "The kind of write that made this entry: Apply or Update.", .one_of = "Apply|Update")
    FIELD(3, Text, api_version, "Group and version in which the fields are named, such as v1.")
    FIELD(4, std::optional<Time>, time, "When the set of fields last changed. Server-set.")
    FIELD(6, Text, fields_type, "How fieldsV1 is to be read. FieldsV1 is the only format.")
    FIELD(7, RawJson, fields_v1, "The set of fields as a tree of f:<name>, k:<keys>, v:<value> and i:<index> entries.")
    FIELD(8, Text, subresource, "The subresource through which the fields were written, empty for the object itself.")
};

struct ObjectMeta {
    TYPE(ObjectMeta, "What every stored object carries beside its own content: name, identity, labels, owners.")
    FIELD(1, Text, name, "Name of the object, unique for its kind within the namespace. It can never change.")
    FIELD(2, Text, generate_name,
          "Prefix of a name for the server to make when name is empty: five random characters are added. Only used on "
          "create.")
    FIELD(3, Text, namespace_, "Namespace of the object, empty for kinds that have none. It can never change.",
          .json = "namespace")
    FIELD(4, Text, self_link, "No longer filled by the server; kept because old clients may send it.")
    FIELD(5, Text, uid,
          "Identity of the object in time and space, set by the server on create. A later object of the same name gets "
          "another one.")
    FIELD(
        6, Text, resource_version,
        "Opaque version of the object, changed by every write. An update that sends it back fails when the object has "
        "changed in between.")
    FIELD(7, std::int64_t, generation, "Counts the changes of the wanted state. Server-set.")
    FIELD(8, Time, creation_timestamp, "When the server created the object.", .omit_zero = true)
    FIELD(9, std::optional<Time>, deletion_timestamp,
          "When the object is due to go. Set by the server on a graceful delete; the object goes once its grace period "
          "is over and its finalizers are removed, and it cannot be called back.")
    FIELD(10, std::optional<std::int64_t>, deletion_grace_period_seconds,
          "Seconds the object may take to end after its delete. Set together with deletionTimestamp; it can only be "
          "shortened.")
    FIELD(11, Map<Text>, labels, "Names and values to organise and select objects by.")
    FIELD(12, Map<Text>, annotations, "Names and values for tools. They cannot be selected by.")
    FIELD(13, List<OwnerReference>, owner_references,
          "Objects this one depends on. When all of them are gone, this one is removed too. At most one is the "
          "controller.",
          .shared = true, .patch = Patch::kMerge, .merge_key = "uid", .list = ListKind::kMap, .list_keys = "uid")
    FIELD(14, List<Text>, finalizers,
          "Names of components that must act before the object is removed. A deleted object stays until this list is "
          "empty; entries may be removed in any order.",
          .patch = Patch::kMerge, .list = ListKind::kSet)
    FIELD(17, List<ManagedFieldsEntry>, managed_fields, "Which manager set which fields. Kept by the server.",
          .shared = true)
};

struct ShardInfo {
    TYPE(ShardInfo, "Which part of a collection a list holds.")
    FIELD(1, Text, selector, "The selector of the request.", .required = true)
};

struct ListMeta {
    TYPE(ListMeta, "What a list carries beside its items.")
    FIELD(1, Text, self_link, "No longer filled by the server; kept because old clients may send it.")
    FIELD(2, Text, resource_version, "Opaque version of the whole list. A watch can start from it.")
    FIELD(3, Text, continue_, "Opaque token that fetches the next part of the list. Empty when this is the last part.",
          .json = "continue")
    FIELD(4, std::optional<std::int64_t>, remaining_item_count,
          "How many items follow this part, when the server knows. It may be an estimate.")
    GATED(5, Box<ShardInfo>, shard_info, "Which part of the collection this is, when a part was asked for.")
};

struct LabelSelectorRequirement {
    TYPE(LabelSelectorRequirement, "One demand on a label: its key, an operator and values.")
    FIELD(1, Text, key, "The label's key.", .required = true)
    FIELD(2, Text, operator_, "How the label relates to the values: In, NotIn, Exists or DoesNotExist.",
          .json = "operator", .required = true, .one_of = "In|NotIn|Exists|DoesNotExist")
    FIELD(3, List<Text>, values, "The values. At least one for In and NotIn, none for Exists and DoesNotExist.")
};

struct LabelSelector {
    TYPE(LabelSelector, "Selects objects by their labels. All demands must hold; an empty selector selects everything.",
         .atomic = true)
    FIELD(1, Map<Text>, match_labels, "Labels that must be there with exactly these values.")
    FIELD(2, List<LabelSelectorRequirement>, match_expressions, "Further demands, all of which must hold.")
};

struct FieldSelectorRequirement {
    TYPE(FieldSelectorRequirement, "One demand on a field: its key, an operator and values.")
    FIELD(1, Text, key, "The field, as selectors name it.", .required = true)
    FIELD(2, Text, operator_, "How the field relates to the values: In, NotIn, Exists or DoesNotExist.",
          .json = "operator", .required = true)
    FIELD(3, List<Text>, values, "The values. At least one for In and NotIn, none for Exists and DoesNotExist.")
};

struct Condition {
    TYPE(Condition, "One aspect of an object's current state.")
    FIELD(1, Text, type, "Which aspect, in CamelCase, with a domain prefix when not well known.", .required = true)
    FIELD(2, Text, status, "Whether the condition holds: True, False or Unknown.", .required = true,
          .one_of = "True|False|Unknown")
    FIELD(3, std::int64_t, observed_generation,
          "The generation this was decided for. Lower than the object's own, it is out of date.")
    FIELD(4, Time, last_transition_time, "When status last changed.", .required = true)
    FIELD(5, Text, reason, "Why, as one CamelCase word for programs. Never empty.", .required = true)
    FIELD(6, Text, message, "Why, as a sentence for people. May be empty.", .required = true)
};

struct Preconditions {
    TYPE(Preconditions, "What must hold for a delete to go ahead.")
    FIELD(1, std::optional<Text>, uid, "The object must have this UID.")
    FIELD(2, std::optional<Text>, resource_version, "The object must have this resourceVersion.")
};

struct DeleteOptions {
    KIND(DeleteOptions, "How to delete an object. Sent as the body of a DELETE.", .group = "")
    FIELD(1, std::optional<std::int64_t>, grace_period_seconds,
          "Seconds the object has to end. Zero deletes at once; absent means the kind's default.")
    FIELD(2, Box<Preconditions>, preconditions, "What must hold for the delete, or it fails with a conflict.")
    FIELD(3, std::optional<bool>, orphan_dependents,
          "Old form of propagationPolicy: true leaves dependents alone. Not allowed together with propagationPolicy.")
    FIELD(
        4, std::optional<Text>, propagation_policy,
        "What happens to dependents: Orphan leaves them, Background removes them after this object, Foreground before "
        "it.",
        .one_of = "Orphan|Background|Foreground")
    FIELD(5, List<Text>, dry_run, "All stops short of storing anything. All is the only value.")
    FIELD(6, std::optional<bool>, ignore_store_read_error_with_cluster_breaking_potential,
          "Deletes even an object that can no longer be read from the store, skipping finalizers and preconditions. "
          "False by default.")
};

}  // namespace muster::api::meta
