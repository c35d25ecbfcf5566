#include "controllers/job/job_metrics.h"

#include "api/kinds/job_state.h"
#include "controllers/job/failure_policy.h"

namespace muster::controllers::jobs {
namespace {

using client::MetricInfo;
using client::MetricLabels;

const MetricInfo kSyncSeconds{"job_controller_job_sync_duration_seconds", "How long syncs of Jobs take.",
                              client::exponential_buckets(0.004, 2, 15)};
const MetricInfo kSyncs{"job_controller_job_syncs_total", "Syncs of Jobs."};
const MetricInfo kFinished{"job_controller_jobs_finished_total", "Jobs that have finished."};
const MetricInfo kPodsFinished{"job_controller_job_pods_finished_total", "Finished pods that were counted."};
const MetricInfo kPolicyActions{"job_controller_pod_failures_handled_by_failure_policy_total",
                                "Failed pods that a rule of podFailurePolicy matched."};
const MetricInfo kFinalizers{"job_controller_terminated_pods_tracking_finalizer_total",
                             "Finished pods that had the tracking finalizer, and that lost it."};
const MetricInfo kHeldPods{
    "job_terminated_pod_tracking_finalizer",
    "Finished pods that have the tracking finalizer now; not zero for long in a healthy system."};
const MetricInfo kIndexes{"job_controller_job_finished_indexes_total", "Indexes that have finished."};
const MetricInfo kCreations{"job_controller_job_pods_creation_total", "Pods that Jobs made or tried to make."};
const MetricInfo kExternal{"job_controller_jobs_by_external_controller_total",
                           "Jobs that an external controller manages."};
const MetricInfo kStale{"job_controller_stale_sync_skips_total",
                        "Syncs put off because the controller's own writes were not visible yet."};

std::string mode_of(const api::batch::Job& job) {
    return api::batch::is_indexed(job.spec) ? api::batch::kIndexed : api::batch::kNonIndexed;
}

const char* word(SyncAction action) {
    switch (action) {
        case SyncAction::kReconciling: return "reconciling";
        case SyncAction::kTracking: return "tracking";
        case SyncAction::kPodsCreated: return "pods_created";
        case SyncAction::kPodsDeleted: break;
    }
    return "pods_deleted";
}

const char* word(CreationReason reason) {
    switch (reason) {
        case CreationReason::kNew: return "new";
        case CreationReason::kRecreateTerminatingOrFailed: return "recreate_terminating_or_failed";
        case CreationReason::kRecreateFailed: break;
    }
    return "recreate_failed";
}

void count_some(client::Metrics& metrics, const MetricInfo& info, const MetricLabels& labels, double by) {
    if (by > 0) metrics.count(info, labels, by);
}

}  // namespace

void count_sync(client::Metrics& metrics, const api::batch::Job& job, SyncAction action, bool ok, Duration took) {
    const MetricLabels labels{
        {"completion_mode", mode_of(job)}, {"result", ok ? "success" : "error"}, {"action", word(action)}};
    metrics.count(kSyncs, labels);
    metrics.observe(kSyncSeconds, labels, std::chrono::duration<double>(took).count());
}

void count_stale_sync(client::Metrics& metrics) { metrics.count(kStale, {{"group", "batch"}, {"resource", "jobs"}}); }

void count_creations(client::Metrics& metrics, CreationReason reason, std::size_t succeeded, std::size_t failed) {
    const auto labels = [&](const char* status) { return MetricLabels{{"reason", word(reason)}, {"status", status}}; };
    count_some(metrics, kCreations, labels("succeeded"), static_cast<double>(succeeded));
    count_some(metrics, kCreations, labels("failed"), static_cast<double>(failed));
}

void count_facts(client::Metrics& metrics, const api::batch::Job& job, const StatusFacts& facts) {
    const std::string mode = mode_of(job);
    count_some(metrics, kPodsFinished, {{"completion_mode", mode}, {"result", "succeeded"}}, facts.pods_succeeded);
    count_some(metrics, kPodsFinished, {{"completion_mode", mode}, {"result", "failed"}}, facts.pods_failed);
    const std::string limit = facts.backoff_per_index ? "perIndex" : "global";
    count_some(metrics, kIndexes, {{"status", "succeeded"}, {"backoffLimit", limit}}, facts.indexes_succeeded);
    count_some(metrics, kIndexes, {{"status", "failed"}, {"backoffLimit", limit}}, facts.indexes_failed);
    for (std::size_t i = 0; i < facts.failure_actions.size(); ++i)
        count_some(metrics, kPolicyActions, {{"action", name_of(static_cast<FailureAction>(i))}},
                   facts.failure_actions[i]);
    if (facts.finished)
        metrics.count(kFinished, {{"completion_mode", mode},
                                  {"result", facts.complete ? "succeeded" : "failed"},
                                  {"reason", facts.finish_reason}});
}

void count_held_pod(client::Metrics& metrics, bool appeared) {
    metrics.count(kFinalizers, {{"event", appeared ? "add" : "delete"}});
    metrics.add(kHeldPods, {}, appeared ? 1 : -1);
}

void count_external(client::Metrics& metrics, const api::batch::Job& job) {
    metrics.count(kExternal, {{"controller_name", job.spec.managed_by.value_or(Text()).str()}});
}

}  // namespace muster::controllers::jobs
