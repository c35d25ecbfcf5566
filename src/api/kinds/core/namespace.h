// Namespace: a room for names, deleted with everything in it.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::core {

struct NamespaceSpec {
    TYPE(NamespaceSpec, "What keeps a namespace.")
    FIELD(1, List<Text>, finalizers,
          "Names of components that must act before a deleted namespace is removed. It stays until this is empty.")
};

struct NamespaceCondition {
    TYPE(NamespaceCondition, "One aspect of a namespace's state.")
    FIELD(1, Text, type, "Which aspect, such as NamespaceContentRemaining.", .required = true)
    FIELD(2, Text, status, "Whether it holds: True, False or Unknown.", .required = true,
          .one_of = "True|False|Unknown")
    FIELD(4, Time, last_transition_time, "When status last changed.")
    FIELD(5, Text, reason, "Why, as one CamelCase word for programs.")
    FIELD(6, Text, message, "Why, as a sentence for people.")
};

struct NamespaceStatus {
    TYPE(NamespaceStatus, "How a namespace is.")
    FIELD(1, Text, phase, "Active, or Terminating while it is being deleted.", .one_of = "Active|Terminating")
    FIELD(2, List<NamespaceCondition>, conditions, "How the deletion gets on.", .patch = Patch::kMerge,
          .merge_key = "type", .list = ListKind::kMap, .list_keys = "type")
};

struct Namespace {
    KIND(Namespace, "A room for names. Deleting it deletes everything in it.", .plural = "namespaces",
         .namespaced = false, .short_names = "ns", .access = Access::kView, .delete_collection = false,
         .returned_by_delete = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, NamespaceSpec, spec, "What keeps it.")
    FIELD(3, NamespaceStatus, status, "How it is. Written by the server.")
};

}  // namespace muster::api::core
