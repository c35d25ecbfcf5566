// The batch group: Job, which runs pods until enough of them succeed, and CronJob, which makes Jobs on a schedule.
#pragma once

#include "api/kinds/core/pod.h"
#include "api/kinds/core/reference.h"
#include "api/kinds/meta/meta.h"
#include "api/kinds/workload_scheduling.h"
#include "api/schema/kind_info.h"
#include "api/value/time.h"

namespace muster::api::batch {

inline constexpr const char* kPackage = "io.k8s.api.batch.v1";
inline constexpr const char* kGroup = "batch";
inline constexpr const char* kVersion = "v1";

struct PodFailurePolicyOnExitCodesRequirement {
    TYPE(PodFailurePolicyOnExitCodesRequirement,
         "Matches a failed pod by its containers' exit codes. Containers that ended with 0 are left out.")
    FIELD(1, std::optional<Text>, container_name,
          "Looks only at the container or init container of this name. All of them by default.")
    FIELD(2, Text, operator_,
          "In matches when some exit code is one of the values, NotIn when some exit code is none of them.",
          .json = "operator", .required = true, .one_of = "In|NotIn")
    FIELD(3, List<std::int32_t>, values,
          "Exit codes in rising order without repeats, 1 to 255 of them. 0 is not allowed with In.", .required = true,
          .list = ListKind::kSet)
};

struct PodFailurePolicyOnPodConditionsPattern {
    TYPE(PodFailurePolicyOnPodConditionsPattern, "Matches a condition of a failed pod.")
    FIELD(1, Text, type, "Type that the pod's condition must have.", .required = true)
    FIELD(2, Text, status, "Status that the pod's condition must have. True by default.", .required = true,
          .optional = true, .one_of = "True|False|Unknown")
};

struct PodFailurePolicyRule {
    TYPE(PodFailurePolicyRule,
         "What to do about a failed pod that matches. Exactly one of onExitCodes and onPodConditions is set.")
    FIELD(1, Text, action,
          "FailJob ends the whole job, FailIndex gives up on the pod's index, Ignore replaces the pod without counting "
          "the failure, Count counts it as usual.",
          .required = true, .one_of = "FailJob|FailIndex|Ignore|Count")
    FIELD(2, Box<PodFailurePolicyOnExitCodesRequirement>, on_exit_codes, "Matches by exit codes.")
    FIELD(3, List<PodFailurePolicyOnPodConditionsPattern>, on_pod_conditions,
          "Matches when any of these patterns fits a condition of the pod. At most 20.")
};

struct PodFailurePolicy {
    TYPE(PodFailurePolicy, "Decides which pod failures count, and which end the job or an index at once.")
    FIELD(1, List<PodFailurePolicyRule>, rules,
          "Tried in order; the first that matches decides. A failure that none matches counts towards backoffLimit. At "
          "most 20.",
          .required = true)
};

struct SuccessPolicyRule {
    TYPE(SuccessPolicyRule, "One way for a job to have succeeded. At least one of its fields is set.")
    FIELD(
        1, std::optional<Text>, succeeded_indexes,
        "Indexes that must have succeeded, as numbers and ranges such as 1,3-5,7. With succeededCount, the indexes to "
        "count among.")
    FIELD(2, std::optional<std::int32_t>, succeeded_count,
          "How many indexes must have succeeded, among succeededIndexes when those are given. Positive.")
};

struct SuccessPolicy {
    TYPE(SuccessPolicy, "Lets an indexed job succeed before all of its indexes have.")
    FIELD(1, List<SuccessPolicyRule>, rules,
          "Tried in order; as soon as one holds the job has succeeded and its remaining pods are removed. At most 20.",
          .required = true)
};

struct JobSchedulingConfiguration {
    TYPE(JobSchedulingConfiguration, "How the pods of a job are scheduled together.")
    FIELD(1, Box<workload_scheduling::WorkloadPodGroupSchedulingPolicy>, scheduling_policy,
          "Whether pods are scheduled together.")
    FIELD(2, Box<workload_scheduling::WorkloadPodGroupSchedulingConstraints>, scheduling_constraints,
          "Where they are placed.")
    FIELD(3, Box<workload_scheduling::WorkloadPodGroupDisruptionMode>, disruption_mode,
          "Whether they are disrupted together.")
    FIELD(4, List<workload_scheduling::WorkloadPodGroupResourceClaim>, resource_claims, "Claims that they share.",
          .patch = Patch::kMerge, .merge_key = "name", .list = ListKind::kMap)
};

struct JobSpec {
    TYPE(JobSpec, "What a job is to run, how often, how many at once, and when to give up.")
    FIELD(1, std::optional<std::int32_t>, parallelism,
          "How many pods may run at once. 1 by default; 0 stops the job from making pods.")
    FIELD(2, std::optional<std::int32_t>, completions,
          "How many pods must succeed. Absent, the first success lets the job end once its other pods have ended. When "
          "both this and parallelism are absent, both are 1.")
    FIELD(3, std::optional<std::int64_t>, active_deadline_seconds,
          "Seconds from the job's start after which it fails and its pods are removed. Suspending the job stops and "
          "resets the clock.")
    FIELD(4, Box<meta::LabelSelector>, selector, "Selects the job's pods. Set by the server unless manualSelector is.")
    FIELD(5, std::optional<bool>, manual_selector,
          "True keeps the selector and labels as given; the author must make sure that no other job shares them. False "
          "by default.")
    FIELD(6, core::PodTemplateSpec, template_, "The pod to run. Its restart policy is Never or OnFailure.",
          .json = "template", .required = true)
    FIELD(7, std::optional<std::int32_t>, backoff_limit,
          "How many failures to bear before the job fails. 6 by default, 2147483647 when backoffLimitPerIndex is set.")
    FIELD(8, std::optional<std::int32_t>, ttl_seconds_after_finished,
          "Seconds after its end when the job is deleted; 0 deletes at once. Absent, it stays.")
    FIELD(
        9, std::optional<Text>, completion_mode,
        "NonIndexed counts successes, any pod like the other. Indexed gives every pod an index from 0 to completions - "
        "1 and needs one success for each. NonIndexed by default.",
        .one_of = "NonIndexed|Indexed")
    FIELD(
        10, std::optional<bool>, suspend,
        "True removes the running pods, makes no new ones and clears the start time, until it is false again. False by "
        "default.")
    FIELD(11, Box<PodFailurePolicy>, pod_failure_policy,
          "Decides which pod failures count. Needs restart policy Never. Absent, all count towards backoffLimit.")
    FIELD(12, std::optional<std::int32_t>, backoff_limit_per_index,
          "How many failures of one index to bear before that index has failed. Only for indexed jobs with restart "
          "policy Never; it can never change.")
    FIELD(13, std::optional<std::int32_t>, max_failed_indexes,
          "How many failed indexes to bear before the job fails at once. Absent, all indexes are tried. Needs "
          "backoffLimitPerIndex, and is required and at most 10000 when completions is over 100000.")
    FIELD(
        14, std::optional<Text>, pod_replacement_policy,
        "When to replace a pod: TerminatingOrFailed as soon as it is being deleted or has failed, Failed only once it "
        "has ended. Failed when podFailurePolicy is set, TerminatingOrFailed otherwise.",
        .one_of = "TerminatingOrFailed|Failed")
    FIELD(
        15, std::optional<Text>, managed_by,
        "Who runs this job, as domain/name of at most 63 characters. Absent or kubernetes.io/job-controller means the "
        "built-in controller; it leaves all other jobs alone. It can never change.")
    FIELD(16, Box<SuccessPolicy>, success_policy,
          "Lets an indexed job succeed early. Absent, all completions are needed. It can never change.")
    GATED(17, Box<JobSchedulingConfiguration>, scheduling, "How the job's pods are scheduled together.")
};

struct UncountedTerminatedPods {
    TYPE(UncountedTerminatedPods, "Pods that have ended and that the counters do not contain yet.")
    FIELD(1, List<Text>, succeeded, "UIDs of pods that succeeded.", .list = ListKind::kSet)
    FIELD(2, List<Text>, failed, "UIDs of pods that failed.", .list = ListKind::kSet)
};

struct JobCondition {
    TYPE(JobCondition, "One aspect of a job's state.")
    FIELD(1, Text, type, "Which aspect: Suspended, SuccessCriteriaMet, FailureTarget, Complete or Failed.",
          .required = true)
    FIELD(2, Text, status, "Whether it holds: True, False or Unknown.", .required = true,
          .one_of = "True|False|Unknown")
    FIELD(3, Time, last_probe_time, "When it was last looked at.")
    FIELD(4, Time, last_transition_time, "When status last changed.")
    FIELD(5, Text, reason, "Why, as one CamelCase word for programs, such as BackoffLimitExceeded.")
    FIELD(6, Text, message, "Why, as a sentence for people.")
};

struct JobStatus {
    TYPE(JobStatus, "How far a job has come.")
    FIELD(1, List<JobCondition>, conditions,
          "The job's state. Complete or Failed with status True ends it, and it never has both.",
          .patch = Patch::kMerge, .merge_key = "type")
    FIELD(2, std::optional<Time>, start_time,
          "When the controller first took the job up, or last resumed it. Absent while it is suspended.")
    FIELD(3, std::optional<Time>, completion_time, "When the job succeeded. Never set on a failed job.")
    FIELD(4, std::int32_t, active, "How many pods are pending or running and not being deleted.")
    FIELD(5, std::int32_t, succeeded, "How many pods have succeeded.")
    FIELD(6, std::int32_t, failed, "How many pods have failed.")
    FIELD(7, Text, completed_indexes,
          "Indexes that have succeeded, for an indexed job, as numbers and ranges such as 1,3-5,7.")
    FIELD(8, Box<UncountedTerminatedPods>, uncounted_terminated_pods,
          "Pods on their way into the counters. A pod's UID is written here, then its finalizer is removed, then it is "
          "counted and taken out, so that a crash in between counts it exactly once.")
    FIELD(9, std::optional<std::int32_t>, ready, "How many active pods are ready.")
    FIELD(10, std::optional<Text>, failed_indexes,
          "Indexes that have failed for good, in the form of completedIndexes. Only when backoffLimitPerIndex is set.")
    FIELD(11, std::optional<std::int32_t>, terminating, "How many pods are being deleted but still pending or running.")
};

struct Job {
    KIND(Job, "Runs pods until a given number of them has succeeded, replacing those that fail.", .plural = "jobs",
         .categories = "all", .access = Access::kEdit, .keeps_dependents = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, JobSpec, spec, "What to run.")
    FIELD(3, JobStatus, status, "How far it has come. Written by the controller.")
};

struct JobTemplateSpec {
    TYPE(JobTemplateSpec, "The job that a CronJob creates.")
    FIELD(1, meta::ObjectMeta, metadata, "Labels and annotations of the jobs.")
    FIELD(2, JobSpec, spec, "What the jobs run.")
};

struct CronJobSpec {
    TYPE(CronJobSpec, "When to create jobs, and what they run.")
    FIELD(1, Text, schedule, "Times to run at in cron's form, such as */5 * * * *, or @hourly and its like.",
          .required = true)
    FIELD(2, std::optional<std::int64_t>, starting_deadline_seconds,
          "How many seconds late a job may still be started. Without it there is no such limit.")
    FIELD(
        3, Text, concurrency_policy,
        "When the job before still runs: Allow starts another beside it, Forbid skips this time, Replace ends the old "
        "one first. Allow by default.",
        .one_of = "Allow|Forbid|Replace")
    FIELD(4, std::optional<bool>, suspend, "True starts no more jobs; those running carry on. False by default.")
    FIELD(5, JobTemplateSpec, job_template, "The job to create.", .required = true)
    FIELD(6, std::optional<std::int32_t>, successful_jobs_history_limit,
          "How many succeeded jobs to keep. 3 by default.")
    FIELD(7, std::optional<std::int32_t>, failed_jobs_history_limit, "How many failed jobs to keep. 1 by default.")
    FIELD(8, std::optional<Text>, time_zone,
          "Time zone of the schedule, such as Europe/Paris. The controller's own by default.")
};

struct CronJobStatus {
    TYPE(CronJobStatus, "What a cron job has started.")
    FIELD(1, List<core::ObjectReference>, active, "The jobs that run now.")
    FIELD(4, std::optional<Time>, last_schedule_time, "When a job was last started.")
    FIELD(5, std::optional<Time>, last_successful_time, "When a job last succeeded.")
};

struct CronJob {
    KIND(CronJob, "Creates jobs on a schedule.", .plural = "cronjobs", .short_names = "cj", .categories = "all",
         .access = Access::kEdit)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, CronJobSpec, spec, "When to run, and what.")
    FIELD(3, CronJobStatus, status, "What has been started. Written by the controller.")
};

}  // namespace muster::api::batch
