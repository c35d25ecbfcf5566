#include "api/kinds/rbac.h"

namespace muster::api::rbac {

DEFINE_TYPE(PolicyRule)
DEFINE_TYPE(Subject)
DEFINE_TYPE(RoleRef)
DEFINE_TYPE(Role)
DEFINE_TYPE(RoleBinding)
DEFINE_TYPE(AggregationRule)
DEFINE_TYPE(ClusterRole)
DEFINE_TYPE(ClusterRoleBinding)

}  // namespace muster::api::rbac
