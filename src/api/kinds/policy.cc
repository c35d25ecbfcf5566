#include "api/kinds/policy.h"

namespace muster::api::policy {

DEFINE_TYPE(PodDisruptionBudgetSpec)
DEFINE_TYPE(PodDisruptionBudgetStatus)
DEFINE_TYPE(PodDisruptionBudget)
DEFINE_TYPE(Eviction)

}  // namespace muster::api::policy
