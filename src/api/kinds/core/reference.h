// How one object names another. Every kind of reference here is taken whole by server-side apply, since half a name
// means nothing, with the exception of TypedObjectReference.
#pragma once

#include "api/kinds/core/package.h"
#include "api/schema/declare.h"

namespace muster::api::core {

struct ObjectReference {
    TYPE(ObjectReference, "Names any object, or a part of one.", .atomic = true)
    FIELD(1, Text, kind, "Kind of the object that is meant.")
    FIELD(2, Text, namespace_, "Namespace it lives in; empty for what lives in none.", .json = "namespace")
    FIELD(3, Text, name, "Its name.")
    FIELD(4, Text, uid, "Its uid. With it, an object that was deleted and made again is not mistaken for this one.")
    FIELD(5, Text, api_version, "Group and version of its kind, such as batch/v1.")
    FIELD(6, Text, resource_version, "The version of the object that is meant, when one in particular is.")
    FIELD(7, Text, field_path,
          "The part of the object that is meant, such as spec.containers{name} for one container of a pod. Empty for "
          "the whole object.")
};

struct LocalObjectReference {
    TYPE(LocalObjectReference, "Names an object of a known kind in the same namespace.", .atomic = true)
    FIELD(1, Text, name, "Name of the object. An empty name is accepted for the sake of old clients but names nothing.")
};

struct TypedLocalObjectReference {
    TYPE(TypedLocalObjectReference, "Names an object of any kind in the same namespace.", .atomic = true)
    FIELD(1, std::optional<Text>, api_group, "Group of the kind; without it, the core group.", .required = true,
          .optional = true)
    FIELD(2, Text, kind, "Kind of the object.", .required = true)
    FIELD(3, Text, name, "Name of the object.", .required = true)
};

struct TypedObjectReference {
    TYPE(TypedObjectReference, "Names an object of any kind, in another namespace if need be.")
    FIELD(1, std::optional<Text>, api_group, "Group of the kind; without it, the core group.", .required = true,
          .optional = true)
    FIELD(2, Text, kind, "Kind of the object.", .required = true)
    FIELD(3, Text, name, "Name of the object.", .required = true)
    FIELD(4, std::optional<Text>, namespace_,
          "Namespace of the object; without it, the one this reference stands in. Naming another needs a "
          "ReferenceGrant there.",
          .json = "namespace")
};

struct SecretReference {
    TYPE(SecretReference, "Names a Secret in any namespace.", .atomic = true)
    FIELD(1, Text, name, "Name of the Secret.")
    FIELD(2, Text, namespace_, "Namespace of the Secret.", .json = "namespace")
};

struct TopologySelectorLabelRequirement {
    TYPE(TopologySelectorLabelRequirement, "Asks that a node's label has one of the given values.")
    FIELD(1, Text, key, "Key of the label.", .required = true)
    FIELD(2, List<Text>, values, "The values that will do.", .required = true)
};

struct TopologySelectorTerm {
    TYPE(TopologySelectorTerm, "A place in the cluster, told by labels of its nodes. All requirements must hold.",
         .atomic = true)
    FIELD(1, List<TopologySelectorLabelRequirement>, match_label_expressions, "What the labels must be.")
};

}  // namespace muster::api::core
