// The rules a Job must keep: when it is created, when it is changed, and when its status is written. Each rule that is
// broken adds a cause in Kubernetes' words; none stops at the first. The object has its defaults and went through
// prepare_job_create, prepare_job_update or prepare_job_status_update (see defaults/job.h). As in Kubernetes,
// an update's causes about metadata come twice.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_job_create(const batch::Job& job);
// Beside the rules of a create, most of the spec never changes. An indexed Job may change completions together with
// parallelism. While it is suspended and no pod of it runs, the template's scheduling directives, labels, annotations
// and resources may change.
FieldErrors validate_job_update(const batch::Job& job, const batch::Job& old);
// A status may only move forward, and its parts must agree. A rule applies when something it speaks of has changed, so
// that a status that was wrong before does not keep others from being written.
FieldErrors validate_job_status_update(const batch::Job& job, const batch::Job& old);

// The spec without its selector: what a CronJob's template must keep, too.
void check_job_spec(const batch::JobSpec& spec, const FieldPath& path, FieldErrors& errors);

// What is allowed but will surprise. `old` is null on create; an update that left the spec alone warns of nothing.
std::vector<std::string> job_warnings(const batch::Job& job, const batch::Job* old);
std::vector<std::string> job_spec_warnings(const FieldPath& path, const batch::JobSpec& spec);

}  // namespace muster::api
