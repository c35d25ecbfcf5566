// The rules for ResourceQuotas: which resources can be counted, and in what amounts.
#pragma once

#include "api/kinds/core/quota.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_resource_quota_create(const core::ResourceQuota& quota);
// What a quota counts is for ever; how much it allows is not.
FieldErrors validate_resource_quota_update(const core::ResourceQuota& now, const core::ResourceQuota& before);
FieldErrors validate_resource_quota_status_update(const core::ResourceQuota& now, const core::ResourceQuota& before);

}  // namespace muster::api
