// The rules for Leases.
#pragma once

#include "api/kinds/coordination.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_lease_create(const coordination::Lease& lease);
FieldErrors validate_lease_update(const coordination::Lease& now, const coordination::Lease& before);

}  // namespace muster::api
