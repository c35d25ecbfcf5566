// Jobs, cron jobs and pod templates.
#include "api/kinds/batch.h"
#include "api/kinds/batch_names.h"
#include "api/kinds/job_state.h"
#include "api/selector/label_selector.h"
#include "server/table/print.h"
#include "server/table/span_text.h"

namespace muster::server {
namespace {

using api::batch::CronJob;
using api::batch::Job;
using api::core::PodSpec;
using api::core::PodTemplate;

constexpr Column kJobColumns[] = {
    kNameColumn,
    {"Status", "string", "Whether the job runs, is done, or why neither."},
    {"Completions", "string", "How many pods have succeeded, of how many wanted."},
    {"Duration", "string", "How long the job took, or has been running."},
    kAgeColumn,
    kContainersColumn,
    kImagesColumn,
    kSelectorColumn,
};
constexpr Column kCronJobColumns[] = {
    kNameColumn,
    {"Schedule", "string", "Times at which jobs start, in cron's form."},
    {"Timezone", "string", "Time zone the schedule is meant in."},
    {"Suspend", "boolean", "Whether no more jobs are started."},
    {"Active", "integer", "How many of its jobs run now."},
    {"Last Schedule", "string", "How long ago a job was last started."},
    kAgeColumn,
    kContainersColumn,
    kImagesColumn,
    kSelectorColumn,
};
constexpr Column kPodTemplateColumns[] = {
    kNameColumn,
    {"Containers", "string", "Names of the template's containers."},
    {"Images", "string", "Images of the template's containers."},
    {"Pod Labels", "string", "Labels that pods made from the template get."},
};

std::string container_names(const PodSpec& spec) {
    return join(spec.containers, ",", [](const auto& container) { return container.name.view(); });
}

std::string container_images(const PodSpec& spec) {
    return join(spec.containers, ",", [](const auto& container) { return container.image.view(); });
}

std::string selector_text(const Box<api::meta::LabelSelector>& selector) {
    const Result<api::LabelSelector> parsed = api::LabelSelector::from(selector.get());
    if (!parsed.ok()) return "<error>";
    const std::string text = parsed->text();
    return text.empty() ? "<none>" : text;
}

const char* job_status(const Job& job) {
    const auto has = [&](const char* type) { return api::batch::has_condition(job.status, type); };
    if (has(api::batch::kConditionComplete)) return "Complete";
    if (has(api::batch::kConditionFailed)) return "Failed";
    if (job.metadata.deletion_timestamp) return "Terminating";
    if (has(api::batch::kConditionSuspended)) return "Suspended";
    if (has(api::batch::kConditionFailureTarget)) return "FailureTarget";
    if (has(api::batch::kConditionSuccessCriteriaMet)) return "SuccessCriteriaMet";
    return "Running";
}

// "3/5", or without a number wanted "0/1 of 3" where 3 pods run until one succeeds.
std::string completions_text(const Job& job) {
    const std::string done = std::to_string(job.status.succeeded) + "/";
    if (job.spec.completions) return done + std::to_string(*job.spec.completions);
    const std::int32_t parallelism = job.spec.parallelism.value_or(0);
    return parallelism > 1 ? done + "1 of " + std::to_string(parallelism) : done + "1";
}

std::string duration_text(const Job& job, Instant now) {
    if (!job.status.start_time) return "";
    const Instant end = job.status.completion_time ? job.status.completion_time->instant() : now;
    return format_span(end - job.status.start_time->instant());
}

void print_job(const Job& job, Row& row) {
    const PodSpec& pod = job.spec.template_.spec;
    row.text(job.metadata.name)
        .text(job_status(job))
        .text(completions_text(job))
        .text(duration_text(job, row.now()))
        .age(job.metadata.creation_timestamp)
        .text(container_names(pod))
        .text(container_images(pod))
        .text(selector_text(job.spec.selector));
}

void print_cron_job(const CronJob& cron_job, Row& row) {
    const auto& spec = cron_job.spec;
    const PodSpec& pod = spec.job_template.spec.template_.spec;
    row.text(cron_job.metadata.name)
        .text(spec.schedule)
        .text(spec.time_zone ? spec.time_zone->view() : "<none>")
        .text(!spec.suspend   ? "<unset>"
              : *spec.suspend ? "True"
                              : "False")
        .number(static_cast<std::int64_t>(cron_job.status.active.size()))
        .text(cron_job.status.last_schedule_time ? row.since_text(*cron_job.status.last_schedule_time) : "<none>")
        .age(cron_job.metadata.creation_timestamp)
        .text(container_names(pod))
        .text(container_images(pod))
        .text(selector_text(spec.job_template.spec.selector));
}

void print_pod_template(const PodTemplate& object, Row& row) {
    const std::string labels = join(object.template_.metadata.labels, ",",
                                    [](const auto& label) { return label.key.str() + "=" + label.value.str(); });
    row.text(object.metadata.name)
        .text(container_names(object.template_.spec))
        .text(container_images(object.template_.spec))
        .text(or_else(labels, "<none>"));
}

}  // namespace

Printer job_printer() { return make_printer<Job, print_job>(kJobColumns); }
Printer cron_job_printer() { return make_printer<CronJob, print_cron_job>(kCronJobColumns); }
Printer pod_template_printer() { return make_printer<PodTemplate, print_pod_template>(kPodTemplateColumns); }

}  // namespace muster::server
