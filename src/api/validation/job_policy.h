// The rules for a Job's podFailurePolicy and successPolicy.
#pragma once

#include "api/kinds/batch.h"
#include "api/validation/field_errors.h"

namespace muster::api {

// The spec has a podFailurePolicy.
void check_pod_failure_policy(const FieldPath& path, const batch::JobSpec& spec, FieldErrors& errors);
// The spec has a successPolicy.
void check_success_policy(const FieldPath& path, const batch::JobSpec& spec, FieldErrors& errors);
void check_pod_replacement_policy(const FieldPath& path, const batch::JobSpec& spec, FieldErrors& errors);

}  // namespace muster::api
