// The rules for PodDisruptionBudgets.
#pragma once

#include "api/kinds/policy.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_disruption_budget_create(const policy::PodDisruptionBudget& budget);
FieldErrors validate_disruption_budget_update(const policy::PodDisruptionBudget& now,
                                              const policy::PodDisruptionBudget& before);
FieldErrors validate_disruption_budget_status_update(const policy::PodDisruptionBudget& now,
                                                     const policy::PodDisruptionBudget& before);

}  // namespace muster::api
