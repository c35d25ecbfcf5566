#include "controllers/queue/jobs/gate.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/queued_metadata.h"

namespace muster::controllers::jobqueue {
namespace {

namespace names = api::kueue;
using api::FieldErrors;
using api::FieldPath;
using api::batch::Job;

// A Job that is being stopped is not suspended yet: its template is still to be restored.
bool is_waiting(const Job& job) {
    return api::batch::is_suspended(job.spec) &&
           !(value_under(job.metadata.annotations, names::kStoppingAnnotation) == names::kTrue);
}

void check_min_parallelism(const Job& job, FieldErrors& errors) {
    const Text* text = job.metadata.annotations.find(names::kJobMinParallelismAnnotation);
    if (!text) return;
    const std::int64_t number = parse_whole(*text).value_or(0);
    if (number < 1 || number >= pod_count(job.spec))
        errors.add_invalid(
            annotation_path(names::kJobMinParallelismAnnotation), *text,
            "must be a whole number from 1 to " + std::to_string(pod_count(job.spec) - 1) + ", below the parallelism");
}

void check_completions(const Job& job, FieldErrors& errors) {
    const char* key = names::kJobCompletionsEqualParallelismAnnotation;
    const Text* text = job.metadata.annotations.find(key);
    if (!text) return;
    if (!(*text == names::kTrue) && !(*text == names::kFalse))
        return errors.add_invalid(annotation_path(key), *text, "must be \"true\" or \"false\"");
    if (*text == names::kFalse) return;
    if (!api::batch::is_indexed(job.spec)) errors.add_invalid(annotation_path(key), *text, "is for indexed Jobs only");
    if (job.spec.parallelism.value_or(1) != job.spec.completions.value_or(1))
        errors.add_invalid(FieldPath("spec").child("completions"), job.spec.completions.value_or(1),
                           std::string("must be the parallelism when ") + key + " is true");
}

bool speaks_of_queueing(const Job& job) {
    return !queue_name_of(job.metadata).empty() || !prebuilt_of(job.metadata).empty() ||
           job.metadata.annotations.contains(names::kJobMinParallelismAnnotation) ||
           job.metadata.annotations.contains(names::kJobCompletionsEqualParallelismAnnotation);
}

}  // namespace

bool is_managed_job(const api::meta::ObjectMeta& metadata, const QueueConfiguration& configuration,
                    const Map<Text>* namespace_labels) {
    if (!configuration.jobs || !covers_namespace(configuration, metadata.namespace_, namespace_labels)) return false;
    return !queue_name_of(metadata).empty() || configuration.manage_jobs_without_queue_name;
}

bool is_subject(const Job& job, const QueueConfiguration& configuration, const JobSurroundings& around) {
    if (around.managed_owner) return false;
    if (is_managed_job(job.metadata, configuration, around.namespace_labels)) return true;
    return around.default_queue && configuration.jobs &&
           covers_namespace(configuration, job.metadata.namespace_, around.namespace_labels);
}

void admit_job(Job& job, const JobSurroundings& around) {
    if (queue_name_of(job.metadata).empty() && around.default_queue)
        job.metadata.labels.set(names::kQueueNameLabel, names::kDefaultLocalQueueName);
    if (around.default_class && !job.metadata.labels.contains(names::kPriorityClassLabel))
        job.metadata.labels.set(names::kPriorityClassLabel, kDefaultPriorityClass);
    job.spec.suspend = true;
}

bool suspend_larger(Job& now, const Job& before) {
    const bool runs = !api::batch::is_suspended(before.spec) && !api::batch::is_suspended(now.spec);
    if (!runs || now.metadata.deletion_timestamp || api::batch::is_finished(before.status)) return false;
    if (pod_count(now.spec) <= pod_count(before.spec)) return false;
    now.spec.suspend = true;
    now.metadata.annotations.set(names::kStoppingAnnotation, names::kTrue);
    return true;
}

FieldErrors check_job(const Job& job) {
    FieldErrors errors;
    if (!speaks_of_queueing(job)) return errors;
    check_queued_metadata(job.metadata, errors);
    check_min_parallelism(job, errors);
    check_completions(job, errors);
    check_no_topology(job.spec.template_.metadata, FieldPath("spec").child("template", "metadata", "annotations"),
                      errors);
    return errors;
}

FieldErrors check_job_update(const Job& now, const Job& before, const JobSurroundings& around) {
    if (now.metadata.deletion_timestamp) return {};
    FieldErrors errors;
    if (!speaks_of_queueing(now) && !speaks_of_queueing(before)) return errors;
    const bool waits = is_waiting(now);
    const bool waited = is_waiting(before);
    check_queued_metadata(now.metadata, errors);
    check_no_topology(now.spec.template_.metadata, FieldPath("spec").child("template", "metadata", "annotations"),
                      errors);
    const char* minimum = names::kJobMinParallelismAnnotation;
    if (!(value_under(now.metadata.annotations, minimum) == value_under(before.metadata.annotations, minimum)))
        check_min_parallelism(now, errors);
    if (waits) check_completions(now, errors);
    check_queued_metadata_update(now.metadata, before.metadata, waits, waited, around.default_queue, errors);
    if (before.metadata.annotations.contains(minimum) && !api::batch::is_suspended(before.spec) &&
        !api::batch::is_suspended(now.spec) && !(now.spec.parallelism == before.spec.parallelism))
        errors.add_forbidden(FieldPath("spec").child("parallelism"),
                             "cannot change while the Job runs with a part of its pods");
    return errors;
}

std::int32_t pod_count(const api::batch::JobSpec& spec) {
    const std::int32_t parallelism = spec.parallelism.value_or(1);
    return spec.completions ? std::min(parallelism, *spec.completions) : parallelism;
}

std::optional<std::int32_t> min_pod_count(const Job& job) {
    const auto number = parse_whole(value_under(job.metadata.annotations, names::kJobMinParallelismAnnotation));
    if (!number || *number < 1 || *number > INT32_MAX) return std::nullopt;
    return static_cast<std::int32_t>(*number);
}

bool completions_follow_parallelism(const Job& job) {
    return value_under(job.metadata.annotations, names::kJobCompletionsEqualParallelismAnnotation) == names::kTrue;
}

}  // namespace muster::controllers::jobqueue
