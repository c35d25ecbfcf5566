// The rules for Services that a name for pods needs: ports, type, selector. Addresses outside the cluster, and what
// load balancers add, are taken as they come.
#pragma once

#include "api/kinds/core/service.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_service_create(const core::Service& service);
// Unless its type changes, a Service keeps its address.
FieldErrors validate_service_update(const core::Service& now, const core::Service& before);

}  // namespace muster::api
