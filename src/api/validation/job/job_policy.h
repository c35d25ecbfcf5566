// The rules for a Job's podFailurePolicy and successPolicy.
#pragma once

#include "api/kinds/batch.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// The spec has a podFailurePolicy.
void check_pod_failure_policy(const batch::JobSpec& spec, const FieldPath& path, FieldErrors& errors);
// The spec has a successPolicy.
void check_success_policy(const batch::JobSpec& spec, const FieldPath& path, FieldErrors& errors);
void check_pod_replacement_policy(const batch::JobSpec& spec, const FieldPath& path, FieldErrors& errors);

}  // namespace muster::api
