// Parts of a Job's rules that create and update share.
#pragma once

#include "api/kinds/batch.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// check_job_spec, and a selector that is valid and matches the template's labels.
void check_selected_job_spec(const batch::JobSpec& spec, const FieldPath& path, FieldErrors& errors);

// Unless the selector is the author's own, it and the template's labels are those that the server generates.
void check_generated_selector(const batch::Job& job, FieldErrors& errors);

// The pods of an indexed Job have host names made of its name and their index; the longest must be a DNS label.
void check_name_allows_completions(const batch::Job& job, FieldErrors& errors);

}  // namespace muster::api
