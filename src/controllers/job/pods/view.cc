#include "controllers/job/pods/view.h"

#include <limits>

#include "api/kinds/job_state.h"
#include "client/remote/json_slices.h"

namespace muster::controllers::jobs {

using api::batch::Job;
using api::batch::JobSpec;

namespace {

// A field that no type here has a member for: a cluster's Job keeps it undecoded.
bool has_scheduling(const JobSpec& spec) {
    const std::string_view fields = api::residue_of(&spec).json();
    if (fields.empty()) return false;
    bool found = false;
    const std::string document = '{' + std::string(fields.substr(1)) + '}';
    (void)client::for_each_member(document, [&](std::string_view key, std::string_view value) -> Result<void> {
        if (key == "scheduling" && value != "null") found = true;
        return {};
    });
    return found;
}

}  // namespace

bool is_owned(const Job& job, const Ownership& ownership) {
    const auto& manager = job.spec.managed_by;
    if (!manager || *manager == api::batch::kJobController) return ownership.unmanaged;
    return !ownership.managed_by.empty() && *manager == ownership.managed_by;
}

Tracking tracking_of(const Job& job, const Gates& gates) {
    if (job.metadata.annotations.contains(kLingeringAnnotation)) return Tracking::kLingering;
    return gates.tracking_with_finalizers ? Tracking::kFinalizers : Tracking::kLeaving;
}

LeftAlone why_left_alone(const Job& job, const Gates& gates) {
    const JobSpec& spec = job.spec;
    if (!is_owned(job, gates.ownership)) return LeftAlone::kManagedByOther;
    if (api::batch::is_finished(job.status)) return LeftAlone::kFinished;
    if (has_scheduling(spec)) return LeftAlone::kGang;
    if (!gates.ownership.manual_selectors && spec.manual_selector.value_or(false)) return LeftAlone::kUnseenPods;
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
