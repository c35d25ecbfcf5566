#include "controllers/resource_quota/decide.h"

namespace muster::controllers {

std::optional<api::core::ResourceQuotaStatus> decide_quota_status(const api::core::ResourceQuota& quota,
                                                                  const Map<api::Quantity>& used) {
    if (quota.metadata.deletion_timestamp) return std::nullopt;
    if (quota.status.hard == quota.spec.hard && quota.status.used == used) return std::nullopt;
    return api::core::ResourceQuotaStatus{.hard = quota.spec.hard, .used = used};
}

}  // namespace muster::controllers
