#include "api/kinds/core/quota.h"

namespace muster::api::core {

DEFINE_TYPE(LimitRangeItem)
DEFINE_TYPE(LimitRangeSpec)
DEFINE_TYPE(LimitRange)
DEFINE_TYPE(ScopedResourceSelectorRequirement)
DEFINE_TYPE(ScopeSelector)
DEFINE_TYPE(ResourceQuotaSpec)
DEFINE_TYPE(ResourceQuotaStatus)
DEFINE_TYPE(ResourceQuota)

}  // namespace muster::api::core
