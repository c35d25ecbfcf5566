#include "api/defaults/job.h"

#include <limits>

#include "api/defaults/generation.h"
#include "api/defaults/pod.h"
#include "api/kinds/batch_names.h"
#include "api/schema/walk.h"

namespace muster::api {
namespace {

using batch::CronJob;
using batch::Job;
using batch::JobSpec;

constexpr std::int32_t kBackoffLimit = 6;
constexpr std::int32_t kSuccessfulJobsHistoryLimit = 3;
constexpr std::int32_t kFailedJobsHistoryLimit = 1;

template <class T>
void fill(std::optional<T>& field, T value) {
    if (!field) field = std::move(value);
}

void fill_failure_policy(JobSpec& spec) {
    if (!spec.pod_failure_policy) return;
    const auto& rules = spec.pod_failure_policy->rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (std::size_t j = 0; j < rules[i].on_pod_conditions.size(); ++j) {
            if (!rules[i].on_pod_conditions[j].status.empty()) continue;
            spec.pod_failure_policy.edit().rules.edit()[i].on_pod_conditions.edit()[j].status = "True";
        }
    }
}

// What a CronJob's template gets, too: the rest is filled when the Job itself is made.
void fill_nested(JobSpec& spec) {
    default_pod_template(spec.template_);
    fill_failure_policy(spec);
}

// A Job without labels of its own has those of its pods.
void fill_labels(Job& job) {
    if (job.metadata.labels.empty() && !job.spec.template_.metadata.labels.empty())
        job.metadata.labels = job.spec.template_.metadata.labels;
}

void add_label(Map<Text>& labels, const char* key, const Text& value) {
    if (!labels.contains(key)) labels.set(key, value);
}

void generate_selector(Job& job) {
    Map<Text>& labels = job.spec.template_.metadata.labels;
    add_label(labels, batch::kLegacyJobNameLabel, job.metadata.name);
    add_label(labels, batch::kJobNameLabel, job.metadata.name);
    add_label(labels, batch::kLegacyControllerUidLabel, job.metadata.uid);
    add_label(labels, batch::kControllerUidLabel, job.metadata.uid);
    // The uid alone tells this Job's pods from all others.
    add_label(job.spec.selector.edit().match_labels, batch::kControllerUidLabel, job.metadata.uid);
}

template <class K>
void count_generation(K& object, const K& old) {
    using Spec = decltype(object.spec);
    object.metadata.generation = old.metadata.generation;
    if (!is_equal(Spec::info(), &object.spec, &old.spec)) raise_generation(object.metadata);
}

}  // namespace

void default_job(Job& job) {
    JobSpec& spec = job.spec;
    if (!spec.completions && !spec.parallelism) spec.completions = 1;
    fill(spec.parallelism, 1);
    fill(spec.backoff_limit, spec.backoff_limit_per_index ? std::numeric_limits<std::int32_t>::max() : kBackoffLimit);
    fill_labels(job);
    fill(spec.completion_mode, Text(batch::kNonIndexed));
    fill(spec.suspend, false);
    fill(spec.manual_selector, false);
    fill(spec.pod_replacement_policy, Text(spec.pod_failure_policy ? "Failed" : "TerminatingOrFailed"));
    fill_nested(spec);
}

void default_cron_job(CronJob& cron_job) {
    batch::CronJobSpec& spec = cron_job.spec;
    if (spec.concurrency_policy.empty()) spec.concurrency_policy = "Allow";
    fill(spec.suspend, false);
    fill(spec.successful_jobs_history_limit, kSuccessfulJobsHistoryLimit);
    fill(spec.failed_jobs_history_limit, kFailedJobsHistoryLimit);
    fill_nested(spec.job_template.spec);
}

void prepare_job_create(Job& job) {
    if (!job.spec.manual_selector.value_or(false)) generate_selector(job);
    fill_labels(job);
    job.status = {};
    job.metadata.generation = 1;
}

void prepare_cron_job_create(CronJob& cron_job) {
    cron_job.status = {};
    cron_job.metadata.generation = 1;
}

void prepare_job_update(Job& job, const Job& old) {
    job.status = old.status;
    count_generation(job, old);
}

void prepare_cron_job_update(CronJob& cron_job, const CronJob& old) {
    cron_job.status = old.status;
    count_generation(cron_job, old);
}

void prepare_job_status_update(Job& job, const Job& old) {
    job.spec = old.spec;
    job.metadata.generation = old.metadata.generation;
}

void prepare_cron_job_status_update(CronJob& cron_job, const CronJob& old) {
    cron_job.spec = old.spec;
    cron_job.metadata.generation = old.metadata.generation;
}

}  // namespace muster::api
