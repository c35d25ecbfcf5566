// Which objects a ResourceQuota counts, by its scopes and its scope selector. Pure.
#pragma once

#include "api/kinds/core/quota.h"
#include "api/schema/kind_info.h"

namespace muster::api {

// All scopes and all demands of the selector hold. Only pods and claims have scopes: nothing else is in any.
bool is_in_scopes(const core::ResourceQuotaSpec& spec, const KindInfo& kind, const void* object);

}  // namespace muster::api
