#include "api/kinds/core/namespace.h"

namespace muster::api::core {

DEFINE_TYPE(NamespaceSpec)
DEFINE_TYPE(NamespaceCondition)
DEFINE_TYPE(NamespaceStatus)
DEFINE_TYPE(Namespace)

}  // namespace muster::api::core
