#include "server/objects/gate_admission.h"

#include "api/kinds/batch.h"
#include "api/kinds/batch_names.h"
#include "api/kinds/job_state.h"

namespace muster::server {
namespace {

using api::FeatureGates;
using api::batch::CronJob;
using api::batch::Job;
using api::batch::JobSpec;
using api::core::Pod;

void drop_from_job(const FeatureGates& gates, JobSpec& spec, const JobSpec* before) {
    if (!gates.indexed_job && !(before && api::batch::is_indexed(*before)))
        spec.completion_mode = Text(api::batch::kNonIndexed);
    if (!gates.ttl_after_finished && !(before && before->ttl_seconds_after_finished))
        spec.ttl_seconds_after_finished.reset();
}

void drop_from_pod(const FeatureGates& gates, Pod& pod, const Pod* before) {
    if (!gates.pod_ttl_after_finished && !(before && before->spec.ttl_seconds_after_finished))
        pod.spec.ttl_seconds_after_finished.reset();
}

template <class K>
K* draft_of(const AdmissionRequest& request) {
    return request.object && has_type<K>(request.kind) ? &as<K>(*request.object) : nullptr;
}
template <class K>
const K* before_of(const AdmissionRequest& request) {
    return request.before ? &as<K>(*request.before) : nullptr;
}

}  // namespace

AdmissionStep drop_disabled_fields(FeatureGates gates) {
    return [gates](AdmissionRequest& request, const Objects&) -> Result<> {
        if (Job* job = draft_of<Job>(request)) {
            const Job* before = before_of<Job>(request);
            drop_from_job(gates, job->spec, before ? &before->spec : nullptr);
        } else if (CronJob* cron = draft_of<CronJob>(request)) {
            const CronJob* before = before_of<CronJob>(request);
            drop_from_job(gates, cron->spec.job_template.spec, before ? &before->spec.job_template.spec : nullptr);
        } else if (Pod* pod = draft_of<Pod>(request)) {
            drop_from_pod(gates, *pod, before_of<Pod>(request));
        }
        return {};
    };
}

}  // namespace muster::server
