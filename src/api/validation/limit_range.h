// The rules for LimitRanges: what can be bounded, and bounds that agree with each other.
#pragma once

#include "api/kinds/core/quota.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_limit_range_create(const core::LimitRange& range);
FieldErrors validate_limit_range_update(const core::LimitRange& now, const core::LimitRange& before);

}  // namespace muster::api
