#include "api/kinds/meta/meta.h"

namespace muster::api::meta {

DEFINE_TYPE(OwnerReference)
DEFINE_TYPE(ManagedFieldsEntry)
DEFINE_TYPE(ObjectMeta)
DEFINE_TYPE(ShardInfo)
DEFINE_TYPE(ListMeta)
DEFINE_TYPE(LabelSelectorRequirement)
DEFINE_TYPE(LabelSelector)
DEFINE_TYPE(FieldSelectorRequirement)
DEFINE_TYPE(Condition)
DEFINE_TYPE(Preconditions)
DEFINE_TYPE(DeleteOptions)

}  // namespace muster::api::meta
