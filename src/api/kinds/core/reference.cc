#include "api/kinds/core/reference.h"

namespace muster::api::core {

DEFINE_TYPE(ObjectReference)
DEFINE_TYPE(LocalObjectReference)
DEFINE_TYPE(TypedLocalObjectReference)
DEFINE_TYPE(TypedObjectReference)
DEFINE_TYPE(SecretReference)
DEFINE_TYPE(TopologySelectorLabelRequirement)
DEFINE_TYPE(TopologySelectorTerm)

}  // namespace muster::api::core
