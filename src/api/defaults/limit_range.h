// Defaults of LimitRanges: what is left out about containers follows from what is stated.
#pragma once

#include "api/kinds/core/quota.h"

namespace muster::api {

// The default limit is the maximum; the default request is the default limit, else the minimum.
void default_limit_range(core::LimitRange& range);

}  // namespace muster::api
