#include "controllers/job/pods/view.h"

#include <limits>

#include "api/kinds/job_state.h"

namespace muster::controllers::jobs {

using api::batch::Job;
using api::batch::JobSpec;

Tracking tracking_of(const Job& job, const Gates& gates) {
    if (job.metadata.annotations.contains(kLingeringAnnotation)) return Tracking::kLingering;
    return gates.tracking_with_finalizers ? Tracking::kFinalizers : Tracking::kLeaving;
}

LeftAlone why_left_alone(const Job& job, const Gates& gates) {
    const JobSpec& spec = job.spec;
    if (spec.managed_by && *spec.managed_by != api::batch::kJobController) return LeftAlone::kManagedByOther;
    if (api::batch::is_finished(job.status)) return LeftAlone::kFinished;
    if (!spec.completion_mode || *spec.completion_mode == api::batch::kNonIndexed) return LeftAlone::kNo;
    if (*spec.completion_mode != api::batch::kIndexed) return LeftAlone::kUnknownMode;
    return gates.indexed_job ? LeftAlone::kNo : LeftAlone::kIndexedDisabled;
}

std::int32_t parallelism_of(const JobSpec& spec) { return spec.parallelism.value_or(1); }

std::int32_t backoff_limit_of(const JobSpec& spec) {
    const std::int32_t otherwise = spec.backoff_limit_per_index ? std::numeric_limits<std::int32_t>::max() : 6;
    return spec.backoff_limit.value_or(otherwise);
}

bool replaces_only_failed(const JobSpec& spec) {
    return spec.pod_failure_policy || (spec.pod_replacement_policy && *spec.pod_replacement_policy == "Failed");
}

}  // namespace muster::controllers::jobs
