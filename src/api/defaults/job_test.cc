#include "api/defaults/job.h"

#include <gtest/gtest.h>

#include "api/schema/walk.h"
#include "api/testing/drafts.h"

namespace muster::api {
namespace defaults_job_test {

batch::Job with_defaults(std::string_view patch) {
    batch::Job job = make_object<batch::Job>(kJobBase, patch);
    default_job(job);
    return job;
}

TEST(JobDefaults, FillWhatIsMissing) {
    const batch::JobSpec spec = with_defaults("{}").spec;
    EXPECT_EQ(spec.parallelism, 1);
    EXPECT_EQ(spec.completions, 1);
    EXPECT_EQ(spec.backoff_limit, 6);
    EXPECT_EQ(spec.completion_mode, Text("NonIndexed"));
    EXPECT_EQ(spec.suspend, false);
    EXPECT_EQ(spec.pod_replacement_policy, Text("TerminatingOrFailed"));
    EXPECT_FALSE(spec.active_deadline_seconds);
    EXPECT_FALSE(spec.ttl_seconds_after_finished);
    EXPECT_FALSE(spec.selector);
}

TEST(JobDefaults, LeaveCompletionsOpenForAWorkQueue) {
    EXPECT_FALSE(with_defaults("{'spec': {'parallelism': 3}}").spec.completions);
    EXPECT_EQ(with_defaults("{'spec': {'completions': 3}}").spec.parallelism, 1);
}

TEST(JobDefaults, DependOnOtherFields) {
    EXPECT_EQ(with_defaults("{'spec': {'backoffLimitPerIndex': 1}}").spec.backoff_limit, 2147483647);
    const batch::Job job = with_defaults(
        "{'spec': {'podFailurePolicy': {'rules': [{'action': 'Ignore', 'onPodConditions': [{'type': 'A'}, {'type': "
        "'B', "
        "'status': 'False'}]}]}}}");
    EXPECT_EQ(job.spec.pod_replacement_policy, Text("Failed"));
    EXPECT_EQ(job.spec.pod_failure_policy->rules[0].on_pod_conditions[0].status, "True");
    EXPECT_EQ(job.spec.pod_failure_policy->rules[0].on_pod_conditions[1].status, "False");
}

TEST(JobDefaults, TakeLabelsFromTheTemplate) {
    EXPECT_EQ(with_defaults("{'spec': {'template': {'metadata': {'labels': {'a': 'b'}}}}}").metadata.labels,
              (Map<Text>{{"a", "b"}}));
    EXPECT_EQ(with_defaults("{'metadata': {'labels': {'x': 'y'}}, 'spec': {'template': {'metadata': {'labels': {'a': "
                            "'b'}}}}}")
                  .metadata.labels,
              (Map<Text>{{"x", "y"}}));
}

TEST(JobDefaults, ChangeNothingWhenTheyAreThere) {
    const batch::Job once = make_job(
        "{'spec': {'podFailurePolicy': {'rules': [{'action': 'Ignore', 'onPodConditions': "
        "[{'type': 'A'}]}]}}}");
    batch::Job twice = once;
    default_job(twice);
    EXPECT_EQ(diff(once, twice), "");
    EXPECT_EQ(once.spec.pod_failure_policy.get(), twice.spec.pod_failure_policy.get()) << "copied for nothing";
}

TEST(JobCreate, GetsASelectorOfItsOwn) {
    batch::Job job = with_defaults("{'status': {'succeeded': 3}, 'metadata': {'generation': 9}}");
    prepare_job_create(job);
    const Map<Text> labels{{"batch.kubernetes.io/controller-uid", "u1"},
                           {"batch.kubernetes.io/job-name", "j"},
                           {"controller-uid", "u1"},
                           {"job-name", "j"}};
    EXPECT_EQ(job.spec.template_.metadata.labels, labels);
    EXPECT_EQ(job.metadata.labels, labels);
    EXPECT_EQ(job.spec.selector->match_labels, (Map<Text>{{"batch.kubernetes.io/controller-uid", "u1"}}));
    EXPECT_EQ(job.status.succeeded, 0);
    EXPECT_EQ(job.metadata.generation, 1);
}

TEST(JobCreate, KeepsLabelsThatAreThere) {
    batch::Job job = with_defaults("{'spec': {'template': {'metadata': {'labels': {'job-name': 'mine', 'a': 'b'}}}}}");
    prepare_job_create(job);
    EXPECT_EQ(*job.spec.template_.metadata.labels.find("job-name"), "mine");
    EXPECT_EQ(*job.spec.template_.metadata.labels.find("batch.kubernetes.io/job-name"), "j");
    EXPECT_EQ(job.metadata.labels.size(), 2u) << "the Job's own labels were there before the generated ones";
}

TEST(JobCreate, LeavesAManualSelectorAlone) {
    batch::Job job = with_defaults("{'spec': {'manualSelector': true}}");
    prepare_job_create(job);
    EXPECT_FALSE(job.spec.selector);
    EXPECT_TRUE(job.spec.template_.metadata.labels.empty());
}

TEST(JobUpdatePreparation, CountsGenerationsOfTheSpec) {
    const batch::Job old = make_job("{'status': {'succeeded': 3}}");
    batch::Job relabelled = old;
    relabelled.metadata.labels.set("a", "b");
    relabelled.status.succeeded = 9;
    prepare_job_update(relabelled, old);
    EXPECT_EQ(relabelled.metadata.generation, 1);
    EXPECT_EQ(relabelled.status.succeeded, 3);

    batch::Job wider = old;
    wider.spec.parallelism = 5;
    prepare_job_update(wider, old);
    EXPECT_EQ(wider.metadata.generation, 2);
}

TEST(JobUpdatePreparation, TheHighestGenerationStays) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    batch::Job old = make_job("{}");
    old.metadata.generation = kMost;
    batch::Job wider = old;
    wider.spec.parallelism = 5;
    prepare_job_update(wider, old);
    EXPECT_EQ(wider.metadata.generation, kMost);
}

TEST(JobUpdatePreparation, LeavesTheSpecToOthersWhenTheStatusIsWritten) {
    const batch::Job old = make_job("{}");
    batch::Job job = old;
    job.spec.parallelism = 5;
    job.status.active = 1;
    job.metadata.annotations.set("a", "b");
    prepare_job_status_update(job, old);
    EXPECT_EQ(job.spec.parallelism, 1);
    EXPECT_EQ(job.status.active, 1);
    EXPECT_EQ(job.metadata.annotations.size(), 1u);
}

TEST(CronJobDefaults, FillWhatIsMissing) {
    batch::CronJob cron_job = make_object<batch::CronJob>(kCronJobBase, "{}");
    default_cron_job(cron_job);
    EXPECT_EQ(cron_job.spec.concurrency_policy, "Allow");
    EXPECT_EQ(cron_job.spec.suspend, false);
    EXPECT_EQ(cron_job.spec.successful_jobs_history_limit, 3);
    EXPECT_EQ(cron_job.spec.failed_jobs_history_limit, 1);
    EXPECT_FALSE(cron_job.spec.job_template.spec.parallelism) << "filled in the Jobs it makes";
}

}  // namespace defaults_job_test
}  // namespace muster::api
