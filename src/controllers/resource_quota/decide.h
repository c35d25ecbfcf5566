// What a ResourceQuota's status should say. Pure.
#pragma once

#include <optional>

#include "api/kinds/core/quota.h"

namespace muster::controllers {

// The limits that hold, and what is used of them; none when the status says so already.
std::optional<api::core::ResourceQuotaStatus> decide_quota_status(const api::core::ResourceQuota& quota,
                                                                  const Map<api::Quantity>& used);

}  // namespace muster::controllers
